/**
 * Keys and values of the tokens so far, cached by transformers' `generate`: cache_utils.py DynamicLayer.update concatenates the
 * cached and the new ones into a new tensor.
 */
import type { Tensor } from './storage.ts'

export class KeyValueCache {
  /** In the order in which the model's layers use them. */
  readonly kept: Tensor[] = []
  #next = 0
  #tokens = 0

  /** Call before each pass; `tokens`: the total after the pass. */
  begin(tokens: number): void {
    this.#next = 0
    this.#tokens = tokens
  }

  /**
   * What the next of them holds so far, and how many tokens it will hold. `window`: of as many a sliding layer keeps from the second
   * pass on (DynamicSlidingWindowLayer).
   */
  next(window = this.#tokens): { readonly earlier: Tensor | undefined; readonly tokens: number } {
    const earlier = this.kept[this.#next]
    return { earlier, tokens: earlier === undefined ? this.#tokens : Math.min(this.#tokens, window) }
  }

  keep(grown: Tensor): void {
    this.kept[this.#next++] = grown
  }
}
