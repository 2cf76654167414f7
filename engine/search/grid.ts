/** The batch sizes that are tried: every size up to 8, then multiples of the step. */
import { MAX_BATCH } from '../training/batch-size.ts'

export const DEFAULT_STEP_SIZE = 8

/** Sizes below the step are all on the grid: memory-hungry models live there. */
export class Grid {
  readonly #step: number
  constructor(step: number = DEFAULT_STEP_SIZE) {
    this.#step = step
  }

  /** The number of sizes on the grid. */
  get length(): number {
    return this.#step + Math.floor(MAX_BATCH / this.#step) - 1
  }

  /** The index of the step size itself, the first size of a linear sweep. */
  get firstStep(): number {
    return this.#step - 1
  }

  /** The size at a 0-based index. */
  at(index: number): number {
    return index < this.#step ? index + 1 : (index - this.#step + 2) * this.#step
  }

  /** The index of the largest size that is not above `batch`; −1 below 1. */
  indexOf(batch: number): number {
    return batch < this.#step ? Math.floor(batch) - 1 : this.#step - 2 + Math.floor(batch / this.#step)
  }

  /** The index of the smallest size that is not below `batch`. */
  firstNotBelow(batch: number): number {
    const index = this.indexOf(batch)
    return index >= 0 && this.at(index) === batch ? index : index + 1
  }
}
