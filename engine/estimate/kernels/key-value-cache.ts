/**
 * Keys and values that transformers' `generate` keeps of the tokens so far: cache_utils.py DynamicLayer.update joins what is there
 * with what is new in a new tensor.
 */
import type { Autograd } from '../autograd.ts'
import type { Tensor } from '../storage.ts'

export class KeyValueCache {
  /** In the order in which the model's layers ask. */
  readonly #kept: Tensor[] = []
  #next = 0
  #tokens = 0

  /** Before each pass; `tokens`: in all, once the pass is done. */
  begin(tokens: number): void {
    this.#next = 0
    this.#tokens = tokens
  }

  /** `window`: of as many tokens a sliding layer keeps from the second pass on (DynamicSlidingWindowLayer). */
  grown(autograd: Autograd, x: Tensor, window = this.#tokens): Tensor {
    const earlier = this.#kept[this.#next]
    const tokens = earlier === undefined ? this.#tokens : Math.min(this.#tokens, window)
    const output = autograd.tensor([tokens, ...x.shape.slice(1)], x.dtype, [x])
    autograd.record('cat', { reads: [x, ...(earlier === undefined ? [] : [earlier])], outputs: [output] })
    this.#kept[this.#next++] = output
    return output
  }

  /** Until here the answers are being made. */
  end(autograd: Autograd): void {
    autograd.record('return', { reads: this.#kept, outputs: [] })
  }
}
