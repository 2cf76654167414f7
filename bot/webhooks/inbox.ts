/**
 * Where webhooks are taken: the delivery is claimed and its work enqueued in one transaction. Those that arrive while one is
 * under way share the next, so that a burst costs few transactions and each waits for two at most.
 */
import type { Queue } from '../queue/queue.ts'
import type { Database } from '../store/database.ts'
import { claimDeliveries } from '../store/deliveries.ts'
import { askForRerun } from '../store/reruns.ts'
import type { Work } from './events.ts'

export interface Delivery {
  readonly id: string
  /** For the record. */
  readonly name: string
  readonly work: Work
}

export type Taking = 'taken' | 'taken-before'

interface Waiting {
  readonly delivery: Delivery
  readonly settle: (taking: Promise<Taking>) => void
}

/** Between two commits: under load, deliveries share one; a delivery that comes alone does not wait. */
const SPACING_MILLIS = 10

/** Bounds a transaction, and with it how long it keeps others waiting. */
const MAX_TOGETHER = 100

export class Inbox {
  readonly #database: Database
  readonly #queue: Queue
  readonly #waiting: Waiting[] = []
  #isTaking = false
  /** When the last one began, in milliseconds of the process. */
  #lastCommit = Number.NEGATIVE_INFINITY

  constructor(database: Database, queue: Queue) {
    this.#database = database
    this.#queue = queue
  }

  /** Resolves when it is committed. */
  take(delivery: Delivery): Promise<Taking> {
    const { promise, resolve } = Promise.withResolvers<Taking>()
    this.#waiting.push({ delivery, settle: resolve })
    if (!this.#isTaking) void this.#takeWaiting()
    return promise
  }

  async #takeWaiting(): Promise<void> {
    this.#isTaking = true
    while (this.#waiting.length > 0) {
      await until(this.#lastCommit + SPACING_MILLIS)
      this.#lastCommit = performance.now()
      const together = this.#waiting.splice(0, MAX_TOGETHER)
      try {
        const taken = await this.#commit(together.map(({ delivery }) => delivery))
        for (const { delivery, settle } of together) {
          settle(Promise.resolve(taken.has(delivery.id) ? 'taken' : 'taken-before'))
        }
      } catch {
        await this.#takeOneByOne(together)
      }
    }
    this.#isTaking = false
  }

  /** One that the database refuses must not take the others with it. */
  async #takeOneByOne(together: readonly Waiting[]): Promise<void> {
    for (const { delivery, settle } of together) {
      const taking = this.#commit([delivery]).then(
        (taken): Taking => (taken.has(delivery.id) ? 'taken' : 'taken-before'),
      )
      settle(taking)
      await taking.catch(() => {})
    }
  }

  async #commit(deliveries: readonly Delivery[]): Promise<ReadonlySet<string>> {
    const taken = await this.#database.transaction(async sql => {
      const claimed = await claimDeliveries(
        sql,
        deliveries.map(({ id, name: event }) => ({ id, event })),
      )
      const works = deliveries.filter(({ id }) => claimed.has(id)).map(({ work }) => work)
      for (const { rerun } of works) if (rerun !== undefined) await askForRerun(sql, rerun)
      await this.#queue.send(
        works.flatMap(({ jobs }) => jobs),
        { sql },
      )
      return claimed
    })
    this.#queue.announce()
    return taken
  }
}

async function until(moment: number): Promise<void> {
  const wait = moment - performance.now()
  if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait))
}
