/** Parses the arguments of `memorymark-bot`. */
import * as z from 'zod'
import { didYouMean } from '../engine/base/did-you-mean.ts'
import { MemoryMarkError } from '../engine/base/errors.ts'

export type BotCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'serve' }
  | { readonly kind: 'doctor' }
  | { readonly kind: 'export'; readonly installationId: number }
  | { readonly kind: 'delete'; readonly installationId: number }

const installationId = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)

const words = ['doctor', 'export', 'delete', '--help', '--version']

/** @throws MemoryMarkError for an unknown command. */
export function readCommand(args: readonly string[]): BotCommand {
  const [name, argument, ...rest] = args
  if (name === undefined) return { kind: 'serve' }
  if (args.some(given => given === '--help' || given === '-h') || (name === 'help' && argument === undefined)) {
    return { kind: 'help' }
  }
  if ((name === '--version' || name === '-v') && argument === undefined) return { kind: 'version' }
  if (name === 'doctor' && argument === undefined) return { kind: 'doctor' }
  const installation = installationId.safeParse(argument)
  if ((name === 'export' || name === 'delete') && installation.success && rest.length === 0) {
    return { kind: name, installationId: installation.data }
  }
  throw refused(args)
}

function refused(args: readonly string[]): MemoryMarkError {
  const [name = ''] = args
  return new MemoryMarkError({
    code: 'usage',
    message: `"${args.join(' ').slice(0, 100)}" is not ${name.startsWith('-') ? 'an option' : 'a command'} of memorymark-bot`,
    fix: didYouMean(name, words, '`memorymark-bot --help` lists the commands; settings come from the environment.'),
  })
}
