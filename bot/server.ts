#!/usr/bin/env node
/** The entry: settings from the environment, the bot, and a graceful end. */
import { MemoryMarkError } from '../engine/index.ts'
import { createLog } from './log.ts'
import { readSettings } from './settings.ts'
import { startBot } from './start.ts'

try {
  const settings = readSettings(process.env)
  const log = createLog(settings.logLevel)
  const bot = await startBot(settings, { log })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info(`${signal}: finishing accepted work`)
      void bot.stop()
    })
  }
} catch (error) {
  if (!(error instanceof MemoryMarkError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
