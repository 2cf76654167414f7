/**
 * What Gemma 3n alone computes: hidden states in several streams, [streams, b, s, h], of which a layer works on the first and
 * predicts the others (AltUp), and feed-forwards that drop most of what they widen to.
 */
export interface Gemma3nOps<T> {
  /** One [b, s, h] a stream → [streams, b, s, h]. */
  stacked(parts: readonly T[]): T
  /** One of the streams, a view: [b, s, h]. */
  stream(streams: T): T
  /** Over the streams: [b, s, h]. */
  mean(streams: T): T
  /** The root mean square of every token: [b, s, 1]. */
  magnitude(x: T): T
  /** `x` at the magnitude of another. */
  scaledTo(magnitude: T, x: T): T
  /** Every stream and a sum of all, weighted by the token's `coefficients` [b, s, streams²]. */
  predicted(streams: T, coefficients: T): T
  /** Every prediction and the error of the first, weighted by the token's `coefficients` [b, s, streams]. */
  corrected(predictions: T, result: T, coefficients: T): T
  /** `x` [b, s, h] added to all streams but the first, in place. */
  addedToOthers(streams: T, x: T): T
  /** What of a token's features exceeds most of them; the rest is zero. */
  sparsified(x: T): T
  /** Token by token one of the two, by a mask of the batch. */
  either(x: T, y: T): T
}
