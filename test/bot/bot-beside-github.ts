/** The real bot over HTTP beside the emulated GitHub, both on loopback. */
import { createLog } from '../../bot/log.ts'
import { readSettings } from '../../bot/settings.ts'
import { type RunningBot, type StartOptions, startBot } from '../../bot/start.ts'
import { type EmulatedGitHub, startGitHub } from '../github/index.ts'
import { lendDatabase } from './databases.ts'
import { lendEngine } from './engines.ts'
import { keptLines } from './log-lines.ts'

export interface BotBesideGitHub extends AsyncDisposable {
  readonly github: EmulatedGitHub
  readonly bot: RunningBot
  /** Everything that was logged, as JSON lines. */
  log(): string
}

export async function startBotBesideGitHub({
  github: given,
  ...options
}: Pick<StartOptions, 'analyze' | 'engine' | 'database' | 'keepsHouse'> & {
  readonly github?: EmulatedGitHub
} = {}): Promise<BotBesideGitHub> {
  const github = given ?? (await startGitHub())
  const lent = options.database === undefined ? await lendDatabase() : undefined
  const lines = keptLines()
  const settings = readSettings(await environmentFor(github))
  const log = createLog('debug', lines.sink)
  const bot = await startBot(settings, {
    ...options,
    ...(lent && { database: lent }),
    engine: options.engine ?? lendEngine(text => log.warn(text)),
    log,
  })
  // What the start itself brings along is done before anything happens.
  await bot.idle()
  github.sendWebhooksTo(bot.webhooksUrl)
  return {
    github,
    bot,
    log: lines.text,
    [Symbol.asyncDispose]: async () => {
      await bot.stop()
      await lent?.[Symbol.asyncDispose]()
      await github[Symbol.asyncDispose]()
    },
  }
}

/** The variables that bot/server.ts reads. */
export async function environmentFor(github: EmulatedGitHub): Promise<Readonly<Record<string, string>>> {
  return {
    APP_ID: String(github.app.id),
    PRIVATE_KEY: github.app.privateKey,
    WEBHOOK_SECRET: github.app.webhookSecret,
    GITHUB_API_URL: github.url,
    HOST: '127.0.0.1',
    PORT: '0',
    DATABASE_URL: 'memory:',
  }
}
