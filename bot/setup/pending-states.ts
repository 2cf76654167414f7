/** The `state` of each way to GitHub that has begun: who comes back with another was not sent by this bot. */
import { randomBytes } from 'node:crypto'

/** GitHub's own limit for the code that comes with it. */
const LIFE_MILLIS = 3_600_000

/** Each time the page is opened makes one; the oldest go first. */
const MAX_PENDING = 20

export class PendingStates {
  readonly #now: () => number
  readonly #begunMillis = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  begin(): string {
    const [oldest] = this.#begunMillis.keys()
    if (oldest !== undefined && this.#begunMillis.size >= MAX_PENDING) this.#begunMillis.delete(oldest)
    const state = randomBytes(32).toString('base64url')
    this.#begunMillis.set(state, this.#now())
    return state
  }

  /** True once, and within the hour. */
  take(state: string): boolean {
    const begunMillis = this.#begunMillis.get(state)
    this.#begunMillis.delete(state)
    return begunMillis !== undefined && this.#now() - begunMillis < LIFE_MILLIS
  }
}
