#!/usr/bin/env node
/** The entry of `memorymark-bot`. What does the work is loaded once the words and the Node that runs them are known to be right. */
import { MemoryMarkError } from '../engine/errors.ts'
import { refuseOldNode, version } from '../engine/version.ts'
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
  // What was opened on the way would keep the process.
  process.exit(2)
}
