/**
 * Accepts webhooks: claims the delivery and enqueues its jobs in one transaction. Webhooks that arrive during a
 * transaction share the next one, so that a burst takes few transactions.
 */
import { failureOf } from '../queue/failure.ts'
import type { Queue } from '../queue/queue.ts'
import type { Database } from '../store/database.ts'
import { claimDeliveries } from '../store/deliveries.ts'
import { askForRerun } from '../store/reruns.ts'
import type { Work } from './events.ts'

export interface Delivery {
  readonly id: string
  /** For the log and the deliveries table. */
  readonly name: string
  readonly work: Work
}

export type Taking = 'taken' | 'taken-before'

interface Waiting {
  readonly delivery: Delivery
  readonly resolve: (taking: Taking) => void
  readonly reject: (error: unknown) => void
}

/** Minimum time between two commits. Under load deliveries share one; a single delivery does not wait. */
const SPACING_MILLIS = 5

/**
 * Concurrent transactions: a server commits several while it waits for its disk; the embedded database has one
 * connection.
 */
const MAX_TRANSACTIONS = { postgres: 3, pglite: 1 } as const

/** Deliveries in one transaction, which bounds how long it keeps others waiting. */
const MAX_TOGETHER = 100

export class Inbox {
  readonly #database: Database
  readonly #queue: Queue
  readonly #waiting: Waiting[] = []
  /** Under way. */
  #transactions = 0
  /** When the last transaction began: milliseconds of the process's clock. */
  #lastCommit = Number.NEGATIVE_INFINITY

  constructor(database: Database, queue: Queue) {
    this.#database = database
    this.#queue = queue
  }

  /** Resolves when it is committed. */
  take(delivery: Delivery): Promise<Taking> {
    const { promise, resolve, reject } = Promise.withResolvers<Taking>()
    this.#waiting.push({ delivery, resolve, reject })
    if (this.#transactions < MAX_TRANSACTIONS[this.#database.backend]) void this.#takeWaiting()
    return promise
  }

  async #takeWaiting(): Promise<void> {
    this.#transactions += 1
    while (this.#waiting.length > 0) {
      await until(this.#lastCommit + SPACING_MILLIS)
      const together = this.#waiting.splice(0, MAX_TOGETHER)
      if (together.length === 0) continue
      this.#lastCommit = performance.now()
      await this.#settle(together)
    }
    this.#transactions -= 1
  }

  /**
   * Retries deliveries one by one if their transaction failed, so that one that the database refuses does not affect
   * the others.
   */
  async #settle(together: readonly Waiting[]): Promise<void> {
    try {
      const taken = await this.#commit(together)
      for (const one of together) one.resolve(taken.has(one) ? 'taken' : 'taken-before')
    } catch (error) {
      if (together.length > 1 && failureOf(error, new Date()).kind === 'fault') {
        for (const one of together) await this.#settle([one])
      } else {
        for (const one of together) one.reject(error)
      }
    }
  }

  /** The deliveries that are new; of several copies of one, the first. */
  async #commit(together: readonly Waiting[]): Promise<ReadonlySet<Waiting>> {
    const taken = await this.#database.transaction(async sql => {
      const names = together.map(({ delivery }) => ({ id: delivery.id, event: delivery.name }))
      const unclaimed = new Set(await claimDeliveries(sql, names))
      const fresh = together.filter(({ delivery }) => unclaimed.delete(delivery.id))
      const works = fresh.map(({ delivery }) => delivery.work)
      for (const { rerun } of works) if (rerun !== undefined) await askForRerun(sql, rerun)
      await this.#queue.send(
        works.flatMap(({ jobs }) => jobs),
        { sql },
      )
      return new Set(fresh)
    })
    this.#queue.announce()
    return taken
  }
}

async function until(moment: number): Promise<void> {
  const wait = moment - performance.now()
  if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait))
}
