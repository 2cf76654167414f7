/** Takes jobs from the queue and has them done, so many at a time; every job that is taken is ended or goes back. */
import type { Logger } from 'probot'
import type { Metrics } from '../metrics.ts'
import { type Job, keyOf } from './jobs.ts'
import type { Queue, Taken } from './queue.ts'

export type Outcome =
  | { readonly kind: 'done' }
  /** Not now: the job waits so long and comes back. */
  | { readonly kind: 'later'; readonly afterSeconds: number }

/** Rejects when the job failed and is to be tried again, and at last given up. */
export type Perform = (job: Job, signal: AbortSignal) => Promise<Outcome>

export interface WorkersOptions {
  readonly queue: Queue
  readonly perform: Perform
  /** Has the last word about a job that failed too often. */
  readonly giveUp: Perform
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'jobEnded'>
  readonly concurrency: number
  /** So that one installation cannot keep all workers to itself. */
  readonly perInstallation: number
}

const POLL_MILLIS = 500

/** Between two looks: what ends or arrives in between is looked for together. */
const SPACING_MILLIS = 20
const TOUCH_MILLIS = 3_000
const BREAK_OFF_MILLIS = 3_000

export class Workers {
  readonly #options: WorkersOptions
  readonly #running = new Map<Taken, Promise<void>>()
  readonly #abort = new AbortController()
  #isStopping = false
  #wake = Promise.withResolvers<void>()
  #loop: Promise<void> | undefined

  constructor(options: WorkersOptions) {
    this.#options = options
  }

  start(): void {
    this.#options.queue.onAnnounced(() => this.#wake.resolve())
    this.#loop = this.#takeAndRun()
  }

  /** Takes nothing more and waits for what runs; what has not finished by then is aborted and goes back to the queue. */
  async stop(limitMillis: number): Promise<void> {
    this.#isStopping = true
    this.#wake.resolve()
    await this.#loop
    await this.#allEnded(limitMillis)
    this.#abort.abort(new DOMException('The bot is stopping', 'AbortError'))
    await this.#allEnded(BREAK_OFF_MILLIS)
  }

  async #allEnded(limitMillis: number): Promise<void> {
    await Promise.race([Promise.all(this.#running.values()), delay(limitMillis)])
  }

  async #takeAndRun(): Promise<void> {
    const touching = setInterval(() => void this.#touch(), TOUCH_MILLIS)
    let lastPoll = Number.NEGATIVE_INFINITY
    while (!this.#isStopping) {
      this.#wake = Promise.withResolvers<void>()
      const isPoll = performance.now() - lastPoll >= POLL_MILLIS
      if (isPoll) lastPoll = performance.now()
      const taken = await this.#take(isPoll)
      for (const one of taken) this.#begin(one)
      await delay(SPACING_MILLIS)
      if (taken.length === 0 || this.#free === 0) await Promise.race([this.#wake.promise, delay(POLL_MILLIS)])
    }
    clearInterval(touching)
  }

  get #free(): number {
    return this.#options.concurrency - this.#running.size
  }

  /** Jobs that were given up are few and not urgent: they are looked for by the clock alone. */
  async #take(withGivenUp: boolean): Promise<readonly Taken[]> {
    if (this.#free <= 0) return []
    try {
      const { queue, perInstallation } = this.#options
      const work = await queue.take(this.#free, perInstallation)
      const free = this.#free - work.length
      return withGivenUp && free > 0 ? [...work, ...(await queue.takeGivenUp(free))] : work
    } catch (error) {
      this.#options.log.error({ err: error }, 'No jobs could be taken')
      return []
    }
  }

  #begin(taken: Taken): void {
    const ended = this.#run(taken).finally(() => {
      this.#running.delete(taken)
      this.#wake.resolve()
    })
    this.#running.set(taken, ended)
  }

  /** A database that is gone leaves the job taken; the next supervisor finds it without a sign of life and returns it. */
  async #run(taken: Taken): Promise<void> {
    try {
      await this.#end(taken)
    } catch (error) {
      this.#options.log.error({ err: error, job: keyOf(taken.job) }, 'A job could not be ended')
    }
  }

  async #end(taken: Taken): Promise<void> {
    const { queue, perform, giveUp, log, metrics } = this.#options
    const { job } = taken
    try {
      const outcome = await (taken.queue === 'work' ? perform : giveUp)(job, this.#abort.signal)
      metrics.jobEnded(job.kind, outcome.kind)
      switch (outcome.kind) {
        case 'done':
          return await queue.complete(taken)
        case 'later':
          return await queue.postpone(taken, outcome.afterSeconds)
      }
    } catch (error) {
      // Aborted by us, which is not a failure of the job.
      if (this.#abort.signal.aborted) return await queue.postpone(taken, 0)
      metrics.jobEnded(job.kind, 'failed')
      log.warn({ err: error, job: keyOf(job) }, 'A job failed and will be tried again')
      await queue.fail(taken, error instanceof Error ? error : new Error(String(error)))
    }
  }

  async #touch(): Promise<void> {
    try {
      await this.#options.queue.touch([...this.#running.keys()])
    } catch (error) {
      this.#options.log.error({ err: error }, 'Running jobs could not be touched')
    }
  }
}

function delay(millis: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, millis).unref())
}
