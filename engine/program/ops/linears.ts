/** Embeddings, linear layers and mixtures of experts. */

import { pair, value } from '../signature.ts'
import type { Value } from '../value.ts'

export const linears = {
  /** [b, s] → [b, s, features]. */
  embedding: value<(name: string, ids: Value, count: number, features: number) => Value>(),
  /** The same with a norm behind it; both get gradients, which nobody releases, whatever else trains. */
  normedEmbedding: value<(name: string, ids: Value, count: number, features: number) => Value>(),
  /** A learned table that is looked up by position or constant type, the same for every sample: → [1, s, features]. */
  constantEmbedding: value<(name: string, count: number, features: number, rows: number) => Value>(),
  /**
   * Sines and cosines of the positions of [b, s, h], from `count` rows that never train: a parameter, or a buffer in which the
   * position of every sample's token is looked up.
   */
  sinusoids: value<(name: string, x: Value, count: number, table: 'parameter' | 'buffer') => Value>(),
  /** All rows of a learned table, the parameter itself: → [count, features]. */
  table: value<(name: string, count: number, features: number) => Value>(),
  /** [..., in] → [..., out]. */
  linear: value<(name: string, x: Value, outFeatures: number, options?: LinearOptions) => Value>(),
  /** The router's top-k experts for each token and their weights: [b, s, h] → twice [b, s, perToken]. */
  routed: pair<(name: string, x: Value, options: RouterOptions) => readonly [weights: Value, chosen: Value]>(),
  /**
   * Runs each token through its top-k experts and adds their weighted results: [b, s, h] → [b, s, h]. `gate` turns rows
   * of [2·inner], or of [inner] without a gate, into rows of [inner].
   */
  experts:
    value<
      (
        name: string,
        x: Value,
        routed: readonly [weights: Value, chosen: Value],
        options: ExpertOptions,
        gate: (joined: Value) => Value,
      ) => Value
    >(),
  /** Runs every token through every expert, weighted by its score, and adds the results to that of `shared`. */
  everyExpert:
    value<
      (
        name: string,
        x: Value,
        options: EveryExpertOptions,
        gate: (joined: Value) => Value,
        shared: () => Value,
      ) => Value
    >(),
}

export interface RouterOptions {
  /** The number of experts. */
  readonly count: number
  readonly perToken: number
  readonly scoring: 'softmax' | 'sigmoid'
  readonly hasBias?: boolean
  /** The router's matrix product is in float32. */
  readonly inFloat32?: boolean
  /** Top-k is taken over the logits, and only the chosen logits become scores. */
  readonly scoresChosenOnly?: boolean
  /** The weights stay in float32 instead of the logits' type. */
  readonly weightsInFloat32?: boolean
  /** The router's linear module inside, which is quantised and adapted like others. */
  readonly linear?: string
  /** The parameter with a scale for each expert's weight. */
  readonly expertScale?: string
}

export interface ExpertOptions {
  readonly count: number
  readonly inner: number
  readonly hasBias?: boolean
  /** True by default: gate and up are one matrix. */
  readonly isGated?: boolean
}

export interface EveryExpertOptions {
  readonly count: number
  /** Experts per token with a score above zero. */
  readonly perToken: number
  readonly inner: number
}

export interface LinearOptions {
  /** True by default. */
  readonly bias?: boolean
  /** The parameter used as weight instead of `name.weight`. */
  readonly tiedTo?: string
  /** Computes `x @ weight.T + bias` as two ops instead of one. */
  readonly composed?: boolean
  /** Casts its input to the weight's type first. */
  readonly castsInput?: boolean
  /** Logits that a `softcap` follows, which a loss that computes them itself applies too. */
  readonly capsResult?: boolean
  /** Joins these, each of which may have adapters of its own: LitGPT's `qkv`. */
  readonly parts?: readonly LinearPart[]
  /** True by default except for an output layer; also false for a parameter outside a linear module. */
  readonly isQuantizable?: boolean
}

export interface LinearPart {
  readonly name: string
  readonly features: number
}
