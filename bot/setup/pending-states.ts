/** The `state` values of redirects to GitHub in progress, to reject returns that this bot did not start. */
import { randomBytes } from 'node:crypto'

/** GitHub's limit for the code. */
const LIFE_MILLIS = 3_600_000

/** Each visit of the page adds one; the oldest are dropped. */
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

  /** True once for a known state, within an hour. */
  take(state: string): boolean {
    const begunMillis = this.#begunMillis.get(state)
    this.#begunMillis.delete(state)
    return begunMillis !== undefined && this.#now() - begunMillis < LIFE_MILLIS
  }
}
