/** A stopwatch in milliseconds that can be paused. */
export class Clock {
  #millis = 0
  #since = performance.now()
  #pauses = 0

  get millis(): number {
    return this.#millis + (this.#pauses > 0 ? 0 : performance.now() - this.#since)
  }

  pause(): void {
    this.#millis = this.millis
    this.#pauses++
  }

  resume(): void {
    this.#pauses--
    this.#since = performance.now()
  }

  restart(): void {
    this.#millis = 0
    this.#since = performance.now()
  }
}
