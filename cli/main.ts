#!/usr/bin/env node
/** The command line: runs a command and turns its outcome into an exit code. */
import { inspect } from 'node:util'
import { didYouMean } from '../engine/base/did-you-mean.ts'
import { MemoryMarkError } from '../engine/base/errors.ts'
import { refuseOldNode, version } from '../engine/base/version.ts'
import type { ExitCode } from './exit-code.ts'
import { complain, complainOf, lineLength, print } from './print.ts'
import { usage } from './usage.ts'

/** Each is loaded when it is called, so that it starts without what the others need. */
const commands: Record<string, (args: string[]) => Promise<ExitCode>> = {
  check: async args => (await import('./check.ts')).check(args),
  estimate: async args => (await import('./estimate.ts')).estimate(args),
  plan: async args => (await import('./plan.ts')).plan(args),
  advise: async args => (await import('./advise.ts')).advise(args),
  explain: async args => (await import('./explain.ts')).explain(args),
  timeline: async args => (await import('./timeline.ts')).timeline(args),
  sweep: async args => (await import('./sweep.ts')).sweep(args),
  calibrate: async args => (await import('./calibrate.ts')).calibrate(args),
  doctor: async args => (await import('./doctor.ts')).doctor(args),
  serve: async args => (await import('./serve.ts')).serve(args),
  mcp: async args => (await import('./mcp.ts')).mcp(args),
  'validate-backward': async args => (await import('./validate.ts')).validateBackward(args),
  'validate-compile': async args => (await import('./validate.ts')).validateCompile(args),
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
  return usage(name, lineLength())
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
