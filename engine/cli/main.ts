#!/usr/bin/env node
/** The command line: finds the command, runs it, turns its outcome into an exit code. */
import { closest, MemoryMarkError } from '../errors.ts'
import { version } from '../version.ts'
import { check } from './check.ts'
import { doctor } from './doctor.ts'
import { estimate } from './estimate.ts'
import type { ExitCode } from './exit-code.ts'
import { explain } from './explain.ts'
import { sweep } from './sweep.ts'
import { usage } from './usage.ts'
import { validateBackward, validateCompile } from './validate.ts'

const commands: Record<string, (args: string[]) => Promise<ExitCode>> = {
  check,
  estimate,
  explain,
  sweep,
  doctor,
  // Loaded when asked for: its libraries would cost every other command's start more than a check takes.
  serve: async args => (await import('./serve.ts')).serve(args),
  'validate-backward': validateBackward,
  'validate-compile': validateCompile,
}

process.exitCode = await main(process.argv.slice(2))

async function main([name, ...args]: string[]): Promise<ExitCode> {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') return print(usage())
  if (name === '--version' || name === '-v') return print(version)
  if (args.includes('--help') || args.includes('-h')) return print(usage(name))
  try {
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (command === undefined) throw unknownCommand(name)
    return await command(args)
  } catch (error) {
    if (!(error instanceof MemoryMarkError)) throw error
    console.error(error.message)
    return 2
  }
}

function print(text: string): ExitCode {
  console.log(text)
  return 0
}

function unknownCommand(name: string): MemoryMarkError {
  const near = closest(name, Object.keys(commands))
  return new MemoryMarkError({
    code: 'unknown-command',
    message: `"${name}" is not a command`,
    fix: near ? `Did you mean \`memorymark ${near}\`?` : 'Run `memorymark help` for the commands.',
  })
}
