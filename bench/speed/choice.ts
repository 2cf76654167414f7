/** Pseudo-random choices, the same on every run. */
export class Choice {
  #state: number

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0
  }

  of<T>(options: readonly T[]): T {
    const option = options[this.below(options.length)]
    if (option === undefined && options.length === 0) throw new Error('nothing to choose from')
    return option as T
  }

  /** True with this probability. */
  share(part: number): boolean {
    return this.below(1_000) < part * 1_000
  }

  /** A whole number from 0 to `limit` - 1: the upper bits of a linear congruential generator (Numerical Recipes). */
  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * limit)
  }
}
