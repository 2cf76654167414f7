/** Runs the bot in its own process, so that only its own work delays it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { root } from '../../scripts/bundles.ts'
import { freePort } from '../../scripts/demo/free-port.ts'
import type { Target } from './load.ts'

const SECRET = 'a secret of the bench and nobody else'
const START_SECONDS = 60

export class BotProcess implements AsyncDisposable {
  readonly target: Target
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.target = { url: `http://127.0.0.1:${port}/api/github/webhooks`, secret: SECRET }
  }

  static async start({ apiUrl, databaseUrl }: { apiUrl: string; databaseUrl: string }): Promise<BotProcess> {
    const port = await freePort()
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2_048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    const child = spawn(process.execPath, [path.join(root, 'bot/server.ts')], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: process.env.PATH,
        APP_ID: '1',
        PRIVATE_KEY: privateKey,
        WEBHOOK_SECRET: SECRET,
        GITHUB_API_URL: apiUrl,
        DATABASE_URL: databaseUrl,
        HOST: '127.0.0.1',
        PORT: String(port),
        LOG_LEVEL: 'error',
      },
    })
    const bot = new BotProcess(child, port)
    await bot.#answers(`http://127.0.0.1:${port}/ready`)
    return bot
  }

  /** Resident memory. */
  async residentBytes(): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024
  }

  async #answers(url: string): Promise<void> {
    const until = performance.now() + START_SECONDS * 1_000
    while (performance.now() < until) {
      if (this.#child.exitCode !== null) throw new Error(`The bot ended with ${this.#child.exitCode}.`)
      if (
        await fetch(url).then(
          ({ ok }) => ok,
          () => false,
        )
      )
        return
      await new Promise(resolve => setTimeout(resolve, 100))
    }
    throw new Error(`The bot was not ready after ${START_SECONDS} s.`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return
    const closed = once(this.#child, 'close')
    this.#child.kill('SIGKILL')
    await closed
  }
}
