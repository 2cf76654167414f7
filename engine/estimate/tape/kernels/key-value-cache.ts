/**
 * Keys and values of the tokens so far, cached by transformers' `generate`: cache_utils.py DynamicLayer.update concatenates the
 * cached and the new ones into a new tensor.
 */

import type { Tensor } from '../storage.ts'
import type { Tape } from '../tape.ts'

export class KeyValueCache {
  /** In the order in which the model's layers use them. */
  readonly #kept: Tensor[] = []
  #next = 0
  #tokens = 0

  /** Call before each pass; `tokens`: the total after the pass. */
  begin(tokens: number): void {
    this.#next = 0
    this.#tokens = tokens
  }

  /** `window`: of as many tokens a sliding layer keeps from the second pass on (DynamicSlidingWindowLayer). */
  grown(tape: Tape, x: Tensor, window = this.#tokens): Tensor {
    const earlier = this.#kept[this.#next]
    const tokens = earlier === undefined ? this.#tokens : Math.min(this.#tokens, window)
    const output = tape.tensor([tokens, ...x.shape.slice(1)], x.dtype, [x])
    tape.record('cat', { reads: [x, ...(earlier === undefined ? [] : [earlier])], outputs: [output] })
    this.#kept[this.#next++] = output
    return output
  }

  /** Generation ends here. */
  end(tape: Tape): void {
    tape.record('return', { reads: this.#kept, outputs: [] })
  }
}
