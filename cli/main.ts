#!/usr/bin/env node
/** The command line: runs a command and turns its outcome into an exit code. */
import { inspect } from 'node:util'
import { didYouMean } from '../engine/did-you-mean.ts'
import { MemoryMarkError } from '../engine/errors.ts'
import { refuseOldNode, version } from '../engine/version.ts'
import { advise } from './advise.ts'
import { calibrate } from './calibrate.ts'
import { check } from './check.ts'
import { doctor } from './doctor.ts'
import { estimate } from './estimate.ts'
import type { ExitCode } from './exit-code.ts'
import { explain } from './explain.ts'
import { plan } from './plan.ts'
import { complain, complainOf, print } from './print.ts'
import { sweep } from './sweep.ts'
import { timeline } from './timeline.ts'
import { usage } from './usage.ts'
import { validateBackward, validateCompile } from './validate.ts'

const commands: Record<string, (args: string[]) => Promise<ExitCode>> = {
  check,
  estimate,
  plan,
  advise,
  explain,
  timeline,
  sweep,
  calibrate,
  doctor,
  // Loaded on demand, because their libraries would slow down the start of every other command.
  serve: async args => (await import('./serve.ts')).serve(args),
  mcp: async args => (await import('./mcp.ts')).mcp(args),
  'validate-backward': validateBackward,
  'validate-compile': validateCompile,
}

/** Node's exit code for an uncaught error. */
const OUR_BUG = 1

process.exitCode = await main(process.argv.slice(2))

async function main([name, ...args]: string[]): Promise<ExitCode> {
  if (name === '--version' || name === '-v') return shown(version)
  try {
    refuseOldNode(process.versions.node)
    if (name === undefined || name === 'help' || name === '--help' || name === '-h') return shown(usageOf(args[0]))
    if (args.includes('--help') || args.includes('-h')) return shown(usageOf(name))
    return await commandNamed(name)(args)
  } catch (error) {
    if (error instanceof MemoryMarkError) {
      complainOf(error.problem)
      return 2
    }
    complain(inspect(error))
    return OUR_BUG
  }
}

function commandNamed(name: string): (args: string[]) => Promise<ExitCode> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) throw unknownCommand(name)
  return command
}

function usageOf(name: string | undefined): string {
  if (name !== undefined) commandNamed(name)
  return usage(name)
}

function shown(text: string): ExitCode {
  print(text)
  return 0
}

function unknownCommand(name: string): MemoryMarkError {
  return new MemoryMarkError({
    code: 'unknown-command',
    message: `"${name}" is not a command`,
    fix: didYouMean(name, Object.keys(commands), 'Run `memorymark help` for the commands.'),
  })
}
