/**
 * Layers that mix the tokens of a sequence: attention with its positions and cache, convolutions, linear attention,
 * Mamba.
 */

import { nothing, pair, value } from '../signature.ts'
import type { Value } from '../value.ts'

export const mixers = {
  /**
   * cos and sin of every position, for heads of which the first `size` dimensions turn. `positions`: that the model is
   * made for.
   */
  rotaryTable: pair<(x: Value, size: number, positions?: number) => readonly [Value, Value]>(),
  /** The same in float32, which the module keeps as buffers for every token of a sequence. */
  keptRotaryTable: pair<(x: Value, size: number) => readonly [Value, Value]>(),
  rotary: value<(x: Value, table: readonly [Value, Value], heads: number, options?: RotaryOptions) => Value>(),
  /** A copy of [b, s, heads·size] in memory head by head. */
  headsFirst: value<(x: Value) => Value>(),
  /**
   * Keys or values that a decoder puts into its cache, as it does in training too by default; of the last `window`
   * tokens. `keys`: those beside values, whose type the cache takes.
   */
  cached: value<(x: Value, keys?: Value, window?: number) => Value>(),
  /**
   * q [b, s, heads·size], k and v [b, t, keyValueHeads·size] → [b, s, heads·size]. `bias` is added to the scores:
   * [heads, s, t], or the model's own mask for all heads, [s, t]. `sinks`: the parameter of a learned score a head,
   * beside the others in the softmax.
   */
  attention: value<(q: Value, k: Value, v: Value, shape: AttentionShape, bias?: Value, sinks?: string) => Value>(),
  /** T5's learned bias of a head for every distance, in a table of [buckets, heads]: → [heads, s, s]. */
  relativePositionBias:
    value<
      (
        name: string,
        buckets: number,
        heads: number,
        tokens: number,
        /** `perSample`: every sample has a copy, as MPNet makes it. */
        options?: { readonly perSample?: boolean },
      ) => Value
    >(),
  /** The zeros that T5 adds where it has learned no bias: → [heads, s, t]. */
  zeroPositionBias: value<(heads: number, tokens: number, sourceTokens: number) => Value>(),
  /** A mask that says which of the tokens of `x` a token of any sample sees, made anew in its type: [s, s]. */
  windowMask: value<(x: Value) => Value>(),
  /** BLOOM's attention from q, k and v, [b, s, h] each, whose scores start from what a head subtracts for the distance. */
  alibiAttention:
    value<(q: Value, k: Value, v: Value, shape: { readonly heads: number; readonly dropout: number }) => Value>(),
  /**
   * DeBERTa's mask of every pair of tokens, for each sample, [b, s, s], and the distance between them, [s, s] in int64;
   * every layer reads both.
   */
  pairsOfTokens: pair<(x: Value) => readonly [mask: Value, distances: Value]>(),
  /**
   * DeBERTa's attention from q, k and v, [b, s, h] each: to the scores of contents are added those of the query with the
   * keys of distances, and of the key with the queries of distances, [rows, h] each.
   */
  disentangledAttention:
    value<
      (
        states: readonly [q: Value, k: Value, v: Value],
        pairs: readonly [mask: Value, distances: Value],
        ofDistances: readonly Value[],
        shape: DisentangledShape,
      ) => Value
    >(),
  /** Each channel convolved with the tokens before it: [b, s, c] → [b, s, c]. Without a bias by default. */
  causalConvolution:
    value<(name: string, x: Value, options: { readonly kernel: number; readonly bias?: boolean }) => Value>(),
  /** Linear attention with a decaying state; `a` and `b` [b, s, heads] set how much is forgotten and written. */
  gatedDeltaRule:
    value<
      (
        name: string,
        states: readonly [query: Value, key: Value, value: Value],
        gates: readonly [a: Value, b: Value],
        heads: number,
      ) => Value
    >(),
  /**
   * Mamba 2 between its projections and the second of them, one kernel: gate, states, their input and output matrices
   * and steps, [b, s, 2·inner + 2·groups·state + heads] → [b, s, out].
   */
  mamba2: value<(name: string, projected: Value, shape: Mamba2Shape) => Value>(),
  /** Each channel convolved with the tokens before it, and SiLU, in one kernel: [b, s, c] → [b, s, c]. */
  fusedConvolution: value<(name: string, x: Value, kernel: number, options: { readonly bias: boolean }) => Value>(),
  /** Mamba's states, a row a channel, and the gate on what is read from them: → [b, s, c]. */
  selectiveScan:
    value<
      (name: string, scan: readonly [states: Value, steps: Value, input: Value, output: Value, gate: Value]) => Value
    >(),
  /** Which keys every query of [b, s, h] sees, found without gradients. */
  chooseKeys: nothing<(name: string, x: Value, shape: IndexerShape) => void>(),
  /** A rate of forgetting for each channel, from its logits [b, s, heads·size], in float32. */
  channelDecay: value<(name: string, logits: Value, heads: number) => Value>(),
  /** Linear attention whose state every channel forgets at its own rate. */
  kimiDelta:
    value<
      (
        states: readonly [query: Value, key: Value, value: Value],
        gates: readonly [decay: Value, beta: Value],
        heads: number,
      ) => Value
    >(),
}

export interface DisentangledShape {
  readonly heads: number
  readonly dropout: number
  /** What each of the states of distances is compared with. */
  readonly comparedWith: readonly ('query' | 'key')[]
}

export interface RotaryOptions {
  /** Turned in float32 and cast back, as ERNIE does. */
  readonly inFloat32?: boolean
  /** Tables of float32 leave a narrower type as it was, as OLMo's do. */
  readonly castsBack?: boolean
  /** As products of complex numbers in float32, as Llama 4 does. */
  readonly isComplex?: boolean
  /** Joined with what does not turn even where all of a head turns, as Phi 3 does. */
  readonly alwaysJoins?: boolean
}

export interface Mamba2Shape {
  readonly heads: number
  readonly headSize: number
  readonly stateSize: number
  /** Heads of a group share the states' input and output matrices. */
  readonly groups: number
  readonly chunkTokens: number
  /** Tokens that the convolution before the scan spans. */
  readonly kernel: number
  readonly convolutionBias: boolean
  /** A norm of the gated result, weighted before or after it is cast back; without one it is only gated. */
  readonly norm?: 'weighted-in-float32' | 'weighted-after'
  readonly outFeatures: number
  readonly outputBias: boolean
}

/** DeepSeek's lightning indexer. */
export interface IndexerShape {
  readonly heads: number
  readonly size: number
  /** Features of the narrow query that it reads. */
  readonly queryRank: number
}

export interface AttentionShape {
  readonly heads: number
  /** Groups of query heads share one key and value head; as many as `heads` by default. */
  readonly keyValueHeads?: number
  readonly causal: boolean
  readonly dropout: number
  /** Tokens that a sliding-window layer looks back. */
  readonly window?: number | undefined
  /** transformers' decoders compute the eager softmax in float32 whatever the scores' type. */
  readonly castsSoftmax?: boolean
  /** Eager scores pass a tanh that bounds them, as Gemma 2's do; fused kernels bound them inside or not at all. */
  readonly capsScores?: boolean
  /** The scores may be clamped by an operation that keeps them: see `clampsScores`. */
  readonly clampsScores?: boolean
  /** The model composes its attention of primitive ops itself, with query and key in float32. */
  readonly inFloat32?: boolean
  /** The model composes its attention itself, puts the bias into the scores in place, and holds them until it returns. */
  readonly composesInPlace?: boolean
  /** The model hands a mask to the kernel even where `causal` would do. */
  readonly isAlwaysMasked?: boolean
  /** Nobody says what of it is padding: an image's patches, and the targets of a sequence-to-sequence model. */
  readonly isUnpadded?: boolean
  /** A single key and value head is left to the kernel to broadcast. */
  readonly broadcastsHeads?: boolean
}
