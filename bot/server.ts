#!/usr/bin/env -S node --max-semi-space-size=8
/**
 * The entry point of `memorymark-bot`. Checks the arguments and Node's version before it loads anything else.
 *
 * Its line for the shell bounds V8's young generation, which V8 sizes by the memory of the machine and does not shrink under load: on
 * one of 24 GiB, 500 slow requests at once leave the process with 120 MiB more than it uses from then on.
 */
import { MemoryMarkError } from '../engine/base/errors.ts'
import { refuseOldNode, version } from '../engine/base/version.ts'
import { readCommand } from './arguments.ts'
import { usage } from './usage.ts'

try {
  const command = readCommand(process.argv.slice(2))
  switch (command.kind) {
    case 'help':
      console.log(usage)
      break
    case 'version':
      console.log(version)
      break
    default:
      refuseOldNode(process.versions.node)
      process.exitCode = await (await import('./run.ts')).run(command)
  }
} catch (error) {
  if (!(error instanceof MemoryMarkError)) throw error
  process.stderr.write(`${error.message}\n`)
  // Open handles would keep the process alive.
  process.exit(2)
}
