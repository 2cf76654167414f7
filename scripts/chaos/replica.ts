/** One bot process, restarted whenever it is killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AppCredentials } from '../../test/github/index.ts'
import { root } from '../bundles.ts'
import { freePort } from '../demo/free-port.ts'

const START_SECONDS = 60
const PAUSE_MILLIS = 50

export interface ReplicaOptions {
  readonly app: AppCredentials
  readonly apiUrl: string
  readonly databaseUrl: string
  /** Everything that the processes write goes to this file. */
  readonly logFile: string
  readonly environment: Readonly<Record<string, string>>
}

export class Replica implements AsyncDisposable {
  readonly webhooksUrl: string
  readonly #options: ReplicaOptions
  readonly #port: number
  #child: ChildProcess | undefined

  private constructor(options: ReplicaOptions, port: number) {
    this.#options = options
    this.#port = port
    this.webhooksUrl = `http://127.0.0.1:${port}/api/github/webhooks`
  }

  /** Resolves when it answers on `/health`. */
  static async start(options: ReplicaOptions): Promise<Replica> {
    const replica = new Replica(options, await freePort())
    await replica.#spawn()
    return replica
  }

  /** kill −9, and at once a new process in its place; resolves when that answers. */
  async killAndRestart(): Promise<void> {
    await this.#end('SIGKILL')
    await this.#spawn()
  }

  /** Restarts a process that ended by itself; false if it was running. */
  async restartIfDead(): Promise<boolean> {
    if (this.#child !== undefined && isRunning(this.#child)) return false
    await this.#spawn()
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end('SIGKILL')
  }

  async #spawn(): Promise<void> {
    const { app, apiUrl, databaseUrl, environment } = this.#options
    const child = spawn(process.execPath, [path.join(root, 'bot/server.ts')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        APP_ID: String(app.id),
        PRIVATE_KEY: app.privateKey,
        WEBHOOK_SECRET: app.webhookSecret,
        GITHUB_API_URL: apiUrl,
        DATABASE_URL: databaseUrl,
        HOST: '127.0.0.1',
        PORT: String(this.#port),
        LOG_LEVEL: 'info',
        ...environment,
      },
    })
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', chunk => void appendFile(this.#options.logFile, chunk))
    }
    await this.#answers(child)
  }

  async #answers(child: ChildProcess): Promise<void> {
    const deadline = performance.now() + START_SECONDS * 1000
    while (performance.now() < deadline) {
      // One that is killed, or falls over because the database is away, is for the next call to start.
      if (!isRunning(child)) return
      const response = await fetch(`http://127.0.0.1:${this.#port}/health`).catch(() => undefined)
      if (response?.ok) return
      await sleep(PAUSE_MILLIS)
    }
    throw new Error(`A replica did not answer on /health within ${START_SECONDS} s: ${this.#options.logFile}`)
  }

  async #end(signal: 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (child === undefined || !isRunning(child)) return
    const closed = once(child, 'close')
    child.kill(signal)
    await closed
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}
