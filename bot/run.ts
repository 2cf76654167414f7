/** Runs the commands of `memorymark-bot`. */
import { once } from 'node:events'
import { MemoryMarkError } from '../engine/base/errors.ts'
import type { BotCommand } from './arguments.ts'
import { credentialsFile, withCredentials } from './credentials.ts'
import { examine } from './doctor.ts'
import { deleteData, exportData } from './installation-data.ts'
import { createLog } from './log.ts'
import { failureOf } from './queue/failure.ts'
import { readOwnSettings, readSettings, type Settings } from './settings.ts'
import { serveSetup } from './setup/serve.ts'
import { startBot } from './start.ts'

type Runnable = Exclude<BotCommand, { readonly kind: 'help' | 'version' }>

/** Resolves to the exit code. @throws MemoryMarkError for what the operator can fix. */
export async function run(command: Runnable): Promise<number> {
  try {
    const env = await withCredentials(process.env)
    if (command.kind === 'serve') {
      await serve(env)
      return 0
    }
    const settings = readSettings(env ?? process.env)
    switch (command.kind) {
      case 'doctor':
        return (await examine(settings, { write: print, now: () => new Date() })) ? 0 : 1
      case 'export':
        await exportData(settings, command.installationId, print)
        return 0
      case 'delete':
        await deleteData(settings, command.installationId, print)
        return 0
    }
  } catch (error) {
    throw unanswered(error) ?? error
  }
}

/** `env`: undefined if there is no App yet; serving then begins by creating one. */
async function serve(env: NodeJS.ProcessEnv | undefined): Promise<void> {
  const ending = new AbortController()
  // Registered first, so that a signal during the start ends the bot cleanly.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ending.abort(signal))
  const settings = env === undefined ? await setUp(ending.signal) : readSettings(env)
  if (settings === undefined) return
  const log = createLog(settings.logLevel)
  await using _bot = await startBot(settings, { log })
  if (!ending.signal.aborted) await once(ending.signal, 'abort')
  log.info(`${ending.signal.reason}: finishing accepted work`)
}

/** Undefined if `signal` aborted before an App was created. */
async function setUp(signal: AbortSignal): Promise<Settings | undefined> {
  const own = readOwnSettings(process.env)
  const file = credentialsFile(process.env)
  const tell = (text: string) => process.stderr.write(`${text}\n`)
  if (!(await serveSetup(own, { file, log: createLog(own.logLevel), tell, signal }))) return undefined
  return readSettings((await withCredentials(process.env)) ?? process.env)
}

/** The problem for a service that does not answer; undefined for other errors. */
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
