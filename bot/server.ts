#!/usr/bin/env node
/** The entry: `memorymark-bot` serves until it is told to end, `memorymark-bot doctor` looks at what it needs. */
import { MemoryMarkError } from '../engine/index.ts'
import { examine } from './doctor.ts'
import { createLog } from './log.ts'
import { readSettings, type Settings } from './settings.ts'
import { startBot } from './start.ts'

try {
  const command = readCommand(process.argv.slice(2))
  const settings = readSettings(process.env)
  switch (command) {
    case 'serve':
      await serve(settings)
      break
    case 'doctor':
      process.exitCode = (await examine(settings, { write: print, now: () => new Date() })) ? 0 : 1
      break
  }
} catch (error) {
  if (!(error instanceof MemoryMarkError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}

function readCommand(args: readonly string[]): 'serve' | 'doctor' {
  const [command, ...rest] = args
  if (command === undefined) return 'serve'
  if (command === 'doctor' && rest.length === 0) return 'doctor'
  throw new MemoryMarkError({
    code: 'usage',
    message: `memorymark-bot does not know "${args.join(' ').slice(0, 100)}"`,
    fix: 'It is called without arguments, or as `memorymark-bot doctor`; settings come from the environment.',
  })
}

async function serve(settings: Settings): Promise<void> {
  const log = createLog(settings.logLevel)
  const bot = await startBot(settings, { log })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info(`${signal}: finishing accepted work`)
      void bot.stop()
    })
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
