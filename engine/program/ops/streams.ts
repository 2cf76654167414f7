/**
 * What Gemma 3n alone computes: hidden states in several streams, [streams, b, s, h], of which a layer works on the
 * first and predicts the others (AltUp), and feed-forwards that drop most of what they widen to.
 */

import { value } from '../signature.ts'
import type { Value } from '../value.ts'

export const streams = {
  /** One [b, s, h] a stream → [streams, b, s, h]. */
  stackedStreams: value<(parts: readonly Value[]) => Value>(),
  /** One of the streams, a view: [b, s, h]. */
  firstStream: value<(streams: Value) => Value>(),
  /** Over the streams: [b, s, h]. */
  meanOfStreams: value<(streams: Value) => Value>(),
  /** The root mean square of every token: [b, s, 1]. */
  magnitude: value<(x: Value) => Value>(),
  /** `x` at the magnitude of another. */
  scaledTo: value<(magnitude: Value, x: Value) => Value>(),
  /** Every stream and a sum of all, weighted by the token's `coefficients` [b, s, streams²]. */
  predictedStreams: value<(streams: Value, coefficients: Value) => Value>(),
  /** Every prediction and the error of the first, weighted by the token's `coefficients` [b, s, streams]. */
  correctedStreams: value<(predictions: Value, result: Value, coefficients: Value) => Value>(),
  /** `x` [b, s, h] added to all streams but the first, in place. */
  addedToOtherStreams: value<(streams: Value, x: Value) => Value>(),
  /** What of a token's features exceeds most of them; the rest is zero. */
  sparsified: value<(x: Value) => Value>(),
  /** Token by token one of the two, by a mask of the batch. */
  either: value<(x: Value, y: Value) => Value>(),
}
