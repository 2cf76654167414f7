/** The server's app, its queue of analyses and the machine's description, disposed of together. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { noSettings, type RepositorySettings } from '../engine/settings/settings.ts'
import { AnalysisQueue, type QueueOptions } from './analysis-queue.ts'
import { type AppOptions, createApp } from './app.ts'
import type { KnownMachine } from './machine.ts'

export interface ServiceOptions
  extends Omit<AppOptions, 'analyses' | 'machine'>,
    Pick<QueueOptions, 'limits' | 'kept'> {
  readonly machine: KnownMachine
  /** The interpreter's command. */
  readonly python: string
  /** The settings of its repository; none by default. */
  readonly team?: RepositorySettings
  /** Whether models that the catalogue lacks are looked up on the Hugging Face Hub; true by default. */
  readonly asksHub?: boolean
}

export class Service implements AsyncDisposable {
  readonly app: OpenAPIHono
  readonly #analyses: AnalysisQueue
  readonly #machine: KnownMachine

  constructor(options: ServiceOptions) {
    const { engine, gpu, team = noSettings, python, asksHub = true, machine, log } = options
    this.#machine = machine
    this.#analyses = new AnalysisQueue({
      ...options,
      settings: { engine, gpu, team, python, asksHub },
      machine,
      log,
    })
    this.app = createApp({ ...options, analyses: this.#analyses })
  }

  /** Cancels all analyses; resolves when no process is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#machine[Symbol.asyncDispose]()
    await this.#analyses[Symbol.asyncDispose]()
  }
}
