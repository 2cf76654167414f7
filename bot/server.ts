#!/usr/bin/env node
/** The entry: `memorymark-bot` serves until it is told to end; its commands look at what it needs and at what it keeps. */
import { MemoryMarkError } from '../engine/index.ts'
import { readCommand } from './arguments.ts'
import { examine } from './doctor.ts'
import { deleteData, exportData } from './installation-data.ts'
import { createLog } from './log.ts'
import { failureOf } from './queue/failure.ts'
import { readSettings, type Settings } from './settings.ts'
import { startBot } from './start.ts'

try {
  const command = readCommand(process.argv.slice(2))
  const settings = readSettings(process.env)
  switch (command.kind) {
    case 'serve':
      await serve(settings)
      break
    case 'doctor':
      process.exitCode = (await examine(settings, { write: print, now: () => new Date() })) ? 0 : 1
      break
    case 'export':
      await exportData(settings, command.installationId, print)
      break
    case 'delete':
      await deleteData(settings, command.installationId, print)
      break
  }
} catch (error) {
  const told = error instanceof MemoryMarkError ? error : unanswered(error)
  if (told === undefined) throw error
  process.stderr.write(`${told.message}\n`)
  // What was opened on the way would keep the process.
  process.exit(2)
}

async function serve(settings: Settings): Promise<void> {
  const log = createLog(settings.logLevel)
  const told = new Promise<string>(resolve => {
    // Before anything starts: a signal that comes meanwhile ends the bot as properly as a later one.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve)
  })
  await using _bot = await startBot(settings, { log })
  log.info(`${await told}: finishing accepted work`)
}

/** Undefined for what is a fault of ours. */
function unanswered(error: unknown): MemoryMarkError | undefined {
  if (!(error instanceof Error) || failureOf(error, new Date()).kind !== 'passing') return undefined
  return new MemoryMarkError({
    code: 'not-answered',
    message: `The bot cannot start because a service that it needs does not answer: ${error.message || error.name}`,
    fix: 'Run `memorymark-bot doctor`, which checks the database and GitHub, then start again.',
  })
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
