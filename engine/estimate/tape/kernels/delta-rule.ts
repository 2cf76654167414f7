/** What linear attention with a delta rule reads, however it is run. */
import type { Tensor } from '../storage.ts'

/** Tokens per chunk, in flash-linear-attention's kernels and in transformers' own ops. */
export const CHUNK_TOKENS = 64

export interface DeltaRule {
  readonly query: Tensor
  readonly key: Tensor
  readonly value: Tensor
  /** How much of the state decays, and how much new input is written: [s, heads]. */
  readonly decay: Tensor
  readonly beta: Tensor
  readonly heads: number
}
