/** Inputs of a step, Python frames, checkpointed blocks, and buffers of modules. */

import { nothing, value } from '../signature.ts'
import type { Value } from '../value.ts'

export const frames = {
  /** Token ids or pixels of the batch: [b, s] int64, or [b, c, y, x] in the step's input type. */
  input: value<() => Value>(),
  /** Images that belong to a sample's text: [b, 3, y, x] in the weights' type. */
  pixels: value<(y: number, x: number) => Value>(),
  /** The decoder's input, the labels shifted by one: [b, s]. */
  shiftedLabels: value<() => Value>(),
  /** Layers that the step never runs, on inputs of `features`: their weights exist but get no gradient. */
  idle: nothing<(features: number, body: (x: Value) => Value) => void>(),
  /** Constants that PyTorch's module registers as int64 buffers beside its parameters. */
  positionIds: nothing<(count: number) => void>(),
  /** Factors of [features] that the module registers as a buffer beside its parameters. */
  constant: value<(name: string, features: number) => Value>(),
  /**
   * Embedded tokens that are read outside the blocks too: peft makes them require gradients, so that checkpointed
   * blocks over frozen weights can be recomputed.
   */
  withInputGradients: value<(x: Value) => Value>(),
  /**
   * States that a block stores in a dictionary for later blocks. The dictionary keeps them, and the graph behind them,
   * through the backward pass.
   */
  handOn: nothing<(states: readonly Value[]) => void>(),
  /** A result that the model returns beside the logits, as long as its outputs are referenced. */
  returned: value<(x: Value) => Value>(),
  /** A local variable of the running block: it stays referenced until the block returns. */
  local: value<(x: Value) => Value>(),
  /** A module's call: its input stays referenced until it returns, as the arguments of Python functions do. */
  frame: value<(x: Value, body: (x: Value) => Value) => Value>(),
  /**
   * One of the repeated blocks: a frame that is recomputed in the backward pass when the step checkpoints gradients.
   * `shared`: what the body reads besides `x`. `isUnhooked`: transformers' enable_input_require_grads does not reach it.
   */
  block:
    value<
      (
        x: Value,
        body: (x: Value) => Value,
        shared?: readonly Value[],
        options?: { readonly isUnhooked?: boolean },
      ) => Value
    >(),
}
