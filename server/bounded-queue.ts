/** A queue with a limit on running and on waiting items, first in, first out. */

export interface QueueSize {
  readonly running: number
  readonly waiting: number
}

export class BoundedQueue<T> {
  readonly #size: QueueSize
  readonly #run: (item: T) => Promise<void>
  readonly #moved: (item: T, position: number) => void
  readonly #waiting: T[] = []
  #running = 0

  /** `run` never rejects. `moved` receives every new position of a waiting item; 1 is the next to run. */
  constructor(size: QueueSize, run: (item: T) => Promise<void>, moved: (item: T, position: number) => void) {
    this.#size = size
    this.#run = run
    this.#moved = moved
  }

  get isFull(): boolean {
    return this.#running >= this.#size.running && this.#waiting.length >= this.#size.waiting
  }

  /** False if the queue is full. */
  offer(item: T): boolean {
    if (this.isFull) return false
    this.#waiting.push(item)
    this.#moved(item, this.#waiting.length)
    this.#fill()
    return true
  }

  /** Removes a waiting item; false if it is not waiting. */
  withdraw(item: T): boolean {
    const index = this.#waiting.indexOf(item)
    if (index < 0) return false
    this.#waiting.splice(index, 1)
    this.#tellFrom(index)
    return true
  }

  #fill(): void {
    while (this.#running < this.#size.running) {
      const item = this.#waiting.shift()
      if (item === undefined) return
      this.#running++
      void this.#run(item).then(() => {
        this.#running--
        this.#fill()
      })
      this.#tellFrom(0)
    }
  }

  #tellFrom(index: number): void {
    for (const [offset, item] of this.#waiting.slice(index).entries()) this.#moved(item, index + offset + 1)
  }
}
