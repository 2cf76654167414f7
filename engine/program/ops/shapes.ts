/** Ops that change shapes: slices, copies and concatenations. */

import { onePerSize, value } from '../signature.ts'
import type { Value } from '../value.ts'

export const shapes = {
  /** A constant mask for each sample, [b, rows, columns], to be added to scores. */
  mask: value<(rows: number, columns: number) => Value>(),
  /** Rows of zeros at the end: [b, s, h] → [b, rows, h]. */
  padded: value<(x: Value, rows: number) => Value>(),
  /** The first `rows` rows of all parts side by side: [b, s, h] each → [b, rows, parts·h]. */
  joined: value<(parts: readonly Value[], rows: number) => Value>(),
  /** Splits the last dimension into views, by one op (torch.split, chunk) or by a slice each. */
  split: onePerSize<(x: Value, sizes: readonly number[]) => Value[]>(),
  slices: onePerSize<(x: Value, sizes: readonly number[]) => Value[]>(),
  /** A new tensor of the parts, side by side in the last dimension. */
  concatenate: value<(parts: readonly Value[]) => Value>(),
  /** A contiguous copy of a view, as indexing or reshaping makes it. */
  gathered: value<(x: Value) => Value>(),
  /** The first `rows` rows, as a view that the next product copies: [b, s, h] → [b, rows, h]. */
  leaving: value<(x: Value, rows: number) => Value>(),
  /** Reshapes to `rows` rows: [b, s, h] → [b, rows, s·h/rows], a view. */
  inRows: value<(x: Value, rows: number) => Value>(),
  /** [b, s, heads·size] → [b, s, times·heads·size]: every head `times` times. */
  repeatHeads: value<(x: Value, times: number, heads: number) => Value>(),
  /**
   * Concatenates each head of `own` with its part of `other` (or with all of it, if `other` is one head shared by all).
   */
  headsJoined: value<(own: Value, other: Value, sharedBy?: number) => Value>(),
  /** The first token: [b, s, h] → [b, h], a view. */
  firstToken: value<(x: Value) => Value>(),
  /** Tokens times a mask that is zero where they are padding, which batches with a mask have: [b, s, h] → [b, s, h]. */
  maskedTokens: value<(x: Value) => Value>(),
  /** The mean of the tokens that are not padding: [b, s, h] → [b, h]. */
  meanOfTokens: value<(x: Value) => Value>(),
  /** The mean of all tokens but the first: [b, s, h] → [b, h]. */
  meanAfterFirst: value<(x: Value) => Value>(),
  /** The last token that is not padding: [b, s, n] → [b, n], gathered. */
  lastToken: value<(x: Value) => Value>(),
  /**
   * Prepends learned tokens, a parameter of [1, 1, h] for each name, to every sample: [b, s, h] → [b, names + s, h].
   */
  prependTokens: value<(names: readonly string[], x: Value) => Value>(),
  /**
   * Adds a position table [1, count, h] to [b, s, h], interpolated to s positions for another image size, or repeated
   * for several tiles.
   */
  addPositions: value<(name: string, x: Value, count: number) => Value>(),
}
