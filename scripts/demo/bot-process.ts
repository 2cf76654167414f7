/** The bot as it is shipped, dist/bot.js, in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { AppCredentials } from '../../test/github/index.ts'
import { root } from '../bundles.ts'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

const STOP_MILLIS = 10_000

export interface BotOptions {
  readonly app: AppCredentials
  readonly apiUrl: string
  readonly signal: AbortSignal
  /** As in the environment of the bot; its own memory unless told. */
  readonly databaseUrl?: string
}

export class BotProcess implements AsyncDisposable {
  readonly origin: string
  readonly #child: ChildProcess
  readonly #log: string[]

  private constructor(origin: string, child: ChildProcess, log: string[]) {
    this.origin = origin
    this.#child = child
    this.#log = log
  }

  /** Resolves when it answers on `/health`. */
  static async start({ app, apiUrl, signal, databaseUrl = 'memory:' }: BotOptions): Promise<BotProcess> {
    const port = await freePort()
    const child = spawn(path.join(root, 'dist/bot.js'), {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        // Its first line asks for `node`: the one that runs this.
        PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`,
        APP_ID: String(app.id),
        PRIVATE_KEY: app.privateKey,
        WEBHOOK_SECRET: app.webhookSecret,
        GITHUB_API_URL: apiUrl,
        HOST: '127.0.0.1',
        PORT: String(port),
        DATABASE_URL: databaseUrl,
        LOG_LEVEL: 'warn',
      },
    })
    const log: string[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => log.push(String(chunk)))
    const bot = new BotProcess(`http://127.0.0.1:${port}`, child, log)
    try {
      await until('the bot to answer on /health', { signal, log: () => bot.log }, () => bot.#answers())
    } catch (error) {
      await bot[Symbol.asyncDispose]()
      throw error
    }
    return bot
  }

  get webhooksUrl(): string {
    return `${this.origin}/api/github/webhooks`
  }

  get log(): string {
    return this.#log.join('')
  }

  /** Asks it to finish what it has accepted, and insists after ten seconds. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.isRunning) return
    const closed = once(this.#child, 'close')
    this.#child.kill('SIGTERM')
    const insist = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MILLIS)
    await closed
    clearTimeout(insist)
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('The bot could not be started.')
    return this.#child.pid
  }

  async #answers(): Promise<true | undefined> {
    if (!this.isRunning) throw new Error(`The bot ended before it answered:\n${this.log}`)
    const response = await fetch(`${this.origin}/health`).catch(() => undefined)
    return response?.ok ? true : undefined
  }
}
