/** What `memorymark-bot` is asked to do. */
import * as z from 'zod'
import { MemoryMarkError } from '../engine/index.ts'

export type BotCommand =
  | { readonly kind: 'serve' }
  | { readonly kind: 'doctor' }
  | { readonly kind: 'export'; readonly installationId: number }
  | { readonly kind: 'delete'; readonly installationId: number }

const installationId = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)

/** @throws MemoryMarkError for what is none of these. */
export function readCommand(args: readonly string[]): BotCommand {
  const [name, argument, ...rest] = args
  if (name === undefined) return { kind: 'serve' }
  if (name === 'doctor' && argument === undefined) return { kind: 'doctor' }
  const installation = installationId.safeParse(argument)
  if ((name === 'export' || name === 'delete') && installation.success && rest.length === 0) {
    return { kind: name, installationId: installation.data }
  }
  throw new MemoryMarkError({
    code: 'usage',
    message: `"${args.join(' ').slice(0, 100)}" is not a memorymark-bot command`,
    fix: 'Run it without arguments, or as `memorymark-bot doctor`, `memorymark-bot export <installation>` or `memorymark-bot delete <installation>`; settings come from the environment.',
  })
}
