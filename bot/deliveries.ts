/** A redelivered webhook repeats its id; each id is worked on once. */

/** Far above what arrives in the three days in which GitHub lets a webhook be redelivered by hand. */
const MAX_REMEMBERED = 100_000

export class Deliveries {
  readonly #claimed = new Set<string>()

  /** False when the delivery is already taken. */
  claim(id: string): boolean {
    if (this.#claimed.has(id)) return false
    this.#claimed.add(id)
    const [oldest] = this.#claimed
    if (this.#claimed.size > MAX_REMEMBERED && oldest !== undefined) this.#claimed.delete(oldest)
    return true
  }

  /** After a failure, so that a redelivery is tried again. */
  release(id: string): void {
    this.#claimed.delete(id)
  }
}
