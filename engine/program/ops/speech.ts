/** Layers over sound. */

import { value } from '../signature.ts'
import type { Value } from '../value.ts'

export const speech = {
  /** The feature extractor's output for a sample: [b, bins, frames] in the weights' type. */
  spectrogram: value<(bins: number, frames: number) => Value>(),
  /** A convolution with a bias over frames, padded by half its kernel: [b, c, t] → [b, outChannels, t / stride]. */
  conv1d: value<(name: string, x: Value, outChannels: number, options: { kernel: number; stride: number }) => Value>(),
  /** [b, c, t] → [b, t, c], a view. */
  framesFirst: value<(x: Value) => Value>(),
}
