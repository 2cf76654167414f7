/** What a step computes its loss from, and what it keeps allocated meanwhile. */
import type { Node } from '../tape/autograd.ts'
import type { Storage, Tensor } from '../tape/storage.ts'

export interface Objective {
  readonly loss: Tensor
  /** What the training loop still references during the backward pass. */
  readonly held: readonly Storage[]
  /**
   * What its variable `outputs` references until it is assigned again, which is after the next forward pass, beside the graph. Absent where
   * the loop has no such variable.
   */
  readonly outputs?: readonly Storage[]
  /** The operation after which it is, where the loss is computed behind the model. */
  readonly outputsAfter?: Node | undefined
  /** What runs before the first micro-step, without gradients. */
  readonly before?: readonly Node[]
}
