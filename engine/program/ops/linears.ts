/** Embeddings, linear layers and mixtures of experts. */
import type { Value } from '../program.ts'
import { pair, value } from '../signature.ts'

export const linears = {
  /** [b, s] → [b, s, features]. */
  embedding: value<(name: string, ids: Value, count: number, features: number) => Value>(),
  /** A learned table that is looked up by position or constant type, the same for every sample: → [1, s, features]. */
  constantEmbedding: value<(name: string, count: number, features: number, rows: number) => Value>(),
  /** [..., in] → [..., out]. */
  linear: value<(name: string, x: Value, outFeatures: number, options?: LinearOptions) => Value>(),
  /** The best experts of every token and their weights: [b, s, h] → twice [b, s, perToken]. */
  routed: pair<(name: string, x: Value, options: RouterOptions) => readonly [weights: Value, chosen: Value]>(),
  /**
   * Every token through the experts chosen for it, and the weighted sum of their results: [b, s, h] → [b, s, h]. `gate`
   * turns rows of [2·inner], or of [inner] without a gate, into rows of [inner].
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
  /**
   * Every token, times its score for each expert, through all of them; the sum of their results is added to what
   * `shared` gives.
   */
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
  /** Experts. */
  readonly count: number
  readonly perToken: number
  readonly scoring: 'softmax' | 'sigmoid'
  readonly hasBias?: boolean
  /** The scores are a product in float32. */
  readonly inFloat32?: boolean
  /** Experts are chosen by their logits, and only the chosen ones scored. */
  readonly scoresChosenOnly?: boolean
  /** The weights stay float32 instead of taking the logits' type. */
  readonly weightsInFloat32?: boolean
  /** The linear module within that scores: one that is quantised and adapted as others are. */
  readonly linear?: string
  /** The parameter that holds a factor for the weights of each expert. */
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
  /** Experts whose score is not zero. */
  readonly perToken: number
  readonly inner: number
}

export interface LinearOptions {
  /** True by default. */
  readonly bias?: boolean
  /** The parameter used as weight instead of `name.weight`. */
  readonly tiedTo?: string
  /** As `x @ weight.T + bias` instead of one op. */
  readonly composed?: boolean
  /** Casts its input to the weight's type first. */
  readonly castsInput?: boolean
  /** True by default but for an output layer; false, too, for a parameter that is no linear module's. */
  readonly isQuantizable?: boolean
}
