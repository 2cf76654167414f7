/** Norms, activations and sums: number by number, or row by row. */

import { value } from '../signature.ts'
import type { Value } from '../value.ts'

export const pointwise = {
  /** `isLowered`: in the type that autocast lowers to, where it would raise to float32. `bias` is true by default. */
  layerNorm:
    value<(name: string, x: Value, options?: { readonly isLowered?: boolean; readonly bias?: boolean }) => Value>(),
  /** The same op by op in float32 and back, without a bias, as Cohere does. */
  composedLayerNorm: value<(name: string, x: Value) => Value>(),
  rmsNorm: value<(name: string, x: Value, options: RmsNormOptions) => Value>(),
  add: value<(x: Value, y: Value) => Value>(),
  /** The sum of a block's result and its input, both of which stay referenced until the block returns. */
  residual: value<(x: Value, skip: Value, options?: { inPlace?: boolean }) => Value>(),
  gelu: value<(x: Value) => Value>(),
  /** The tanh approximation as transformers composes it from primitive ops (`NewGELUActivation`). */
  geluNew: value<(x: Value) => Value>(),
  /** The same as a function of its own, which keeps its input alone and computes the rest again, as BLOOM does. */
  geluRecomputed: value<(x: Value) => Value>(),
  /** The exact GELU as ESM composes it from primitive ops. */
  geluErf: value<(x: Value) => Value>(),
  tanh: value<(x: Value) => Value>(),
  relu: value<(x: Value) => Value>(),
  silu: value<(x: Value) => Value>(),
  square: value<(x: Value) => Value>(),
  /** The activation of arXiv 2411.13010, whose two factors are parameters of `name`. */
  xielu: value<(name: string, x: Value) => Value>(),
  sigmoid: value<(x: Value) => Value>(),
  clamp: value<(x: Value) => Value>(),
  /** Clamped to what float16 holds, where it is float16. */
  clampFloat16: value<(x: Value) => Value>(),
  multiply: value<(x: Value, y: Value) => Value>(),
  /** Times a constant. */
  scale: value<(x: Value, options?: { inPlace?: boolean }) => Value>(),
  /** Times the tanh of a learned number, the parameter `name` of [1]. */
  tanhGate: value<(name: string, x: Value) => Value>(),
  float32: value<(x: Value) => Value>(),
  /** cap · tanh(logits / cap). */
  softcap: value<(logits: Value) => Value>(),
  /**
   * The identity in eval mode or at probability 0. `isFunctional`: a call of `nn.functional.dropout`, which stays where a training
   * disables all dropout modules.
   */
  dropout: value<(x: Value, probability: number, options?: { readonly isFunctional?: boolean }) => Value>(),
  /**
   * Stochastic depth: a whole sample of a residual branch dropped at once; the identity in eval mode or at probability
   * 0.
   */
  dropPath: value<(x: Value, probability: number) => Value>(),
  /** Times a learned factor a feature, the parameter `name` of [h]: [..., h] → [..., h]. */
  layerScale: value<(name: string, x: Value) => Value>(),
  /** Root mean squares of `size` features, times the sigmoid of `gate`, all in float32 and back. */
  gatedNorm: value<(name: string, x: Value, gate: Value, size: number) => Value>(),
  /** x · SiLU(gate), in float32 and back. */
  gatedInFloat32: value<(x: Value, gate: Value) => Value>(),
}

export interface RmsNormOptions {
  /** Features of a group. */
  readonly size: number
  /** Weighted in float32, as Gemma and OLMo do; otherwise after casting back, as Llama does. */
  readonly scalesInFloat32: boolean
  /** Weighted by 1 + weight, as Gemma does. */
  readonly aroundOne?: boolean
  /** Scales its input instead of the float32 copy of it, as T5 does. */
  readonly scalesInput?: boolean
  readonly isUnweighted?: boolean
}
