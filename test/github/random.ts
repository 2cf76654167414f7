/** Chance that can be repeated: the same seed gives the same sequence. */

export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to 1, without 1. Mulberry32, by Tommy Ettinger, public domain. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** From 0 to `below`, without it. */
  integer(below: number): number {
    return Math.floor(this.next() * below)
  }

  pick<T>(among: readonly [T, ...T[]]): T {
    return among[this.integer(among.length)] ?? among[0]
  }

  shuffled<T>(items: readonly T[]): T[] {
    const shuffled = [...items]
    for (let last = shuffled.length - 1; last > 0; last -= 1) {
      const other = this.integer(last + 1)
      const moved = shuffled[last] as T
      shuffled[last] = shuffled[other] as T
      shuffled[other] = moved
    }
    return shuffled
  }
}
