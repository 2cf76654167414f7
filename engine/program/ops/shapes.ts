/** Changes of shape: parts, copies and joins. */
import type { Value } from '../program.ts'
import { onePerSize, value } from '../signature.ts'

export const shapes = {
  /** A table of constants for each sample, [b, rows, columns], which is added to scores. */
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
  /** So many of the rows, as a view that the next product copies: [b, s, h] → [b, rows, h]. */
  leaving: value<(x: Value, rows: number) => Value>(),
  /** So many rows, each with as much as is left for it: [b, s, h] → [b, rows, s·h/rows], a view. */
  inRows: value<(x: Value, rows: number) => Value>(),
  /** [b, s, heads·size] → [b, s, times·heads·size]: every head `times` times. */
  repeatHeads: value<(x: Value, times: number, heads: number) => Value>(),
  /**
   * Each head of `own`, and after it its part of `other` or, where `other` is one head for all, that: as one tensor.
   */
  headsJoined: value<(own: Value, other: Value, sharedBy?: number) => Value>(),
  /** The first token: [b, s, h] → [b, h], a view. */
  firstToken: value<(x: Value) => Value>(),
  /** The mean of the tokens that are not padding: [b, s, h] → [b, h]. */
  meanOfTokens: value<(x: Value) => Value>(),
  /** The last token that is not padding: [b, s, n] → [b, n], gathered. */
  lastToken: value<(x: Value) => Value>(),
  /**
   * Learned tokens, a parameter of [1, 1, h] for each name, before every sample's own: [b, s, h] → [b, names + s, h].
   */
  prependTokens: value<(names: readonly string[], x: Value) => Value>(),
  /**
   * Adds the learned table [1, count, h] to [b, s, h]; for images of another size it is resampled to s positions, for
   * several tiles it is repeated.
   */
  addPositions: value<(name: string, x: Value, count: number) => Value>(),
}
