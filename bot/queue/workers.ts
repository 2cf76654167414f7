/** Takes jobs from the queue and runs a limited number at a time; every job taken is either finished or returned. */
import type { Logger } from 'probot'
import type { Metrics } from '../metrics.ts'
import { type Job, keyOf } from './jobs.ts'
import type { Queue, Taken } from './queue.ts'

export type Outcome =
  | { readonly kind: 'done' }
  /** The job is not done now; it returns to the queue and is retried after this time. */
  | { readonly kind: 'later'; readonly afterSeconds: number }

/** Rejects if the job failed: it is retried, and given up after too many failures. */
export type Perform = (job: Job, signal: AbortSignal) => Promise<Outcome>

export interface WorkersOptions {
  readonly queue: Queue
  readonly perform: Perform
  /** Called for a job that failed too often. */
  readonly giveUp: Perform
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'jobEnded'>
  readonly concurrency: number
  /** The most jobs of one installation at a time, so that it cannot occupy all workers. */
  readonly perInstallation: number
}

const POLL_MILLIS = 500

/** Minimum time between two polls of the queue, so that jobs ending or arriving meanwhile share one. */
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

  /**
   * Takes no more jobs and waits for running ones; after `limitMillis`, these are aborted and returned to the queue.
   */
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

  /** Given-up jobs are few and not urgent, so only the timer looks for them. */
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

  /** If the database is gone, the job stays taken; the supervisor later returns it for lack of a heartbeat. */
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
