/**
 * Work after the acknowledgement: one job at a time per key, different keys at once. Held in memory, so a restart
 * forgets what has not begun; GitHub's redelivery brings it back.
 */
export class SerialQueue {
  readonly #tails = new Map<string, Promise<void>>()

  /** Jobs see to their own errors; one that rejects is a bug and stops the process. */
  enqueue(key: string, job: () => Promise<void>): void {
    const tail = (this.#tails.get(key) ?? Promise.resolve()).then(job)
    this.#tails.set(key, tail)
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    })
  }

  /** Resolves when nothing is queued or running, jobs that other jobs enqueue included. */
  async idle(): Promise<void> {
    while (this.#tails.size > 0) await Promise.all(this.#tails.values())
  }
}
