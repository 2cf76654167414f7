/** Layers over sound. */

import { value } from '../signature.ts'
import type { Value } from '../value.ts'

export const speech = {
  /** The feature extractor's output for a sample: [b, bins, frames] in the weights' type. */
  spectrogram: value<(bins: number, frames: number) => Value>(),
  /** The sound itself as one channel, [b, 1, samples] in the weights' type, for layers named `reader` to read. */
  waveform: value<(reader: string) => Value>(),
  /** A convolution over frames, padded by half its kernel: [b, c, t] → [b, outChannels, t / stride]. */
  conv1d: value<(name: string, x: Value, outChannels: number, options: FrameConvolution) => Value>(),
  /** Each channel normalised over all frames of a sample: [b, c, t] → [b, c, t]. */
  channelNorm: value<(name: string, x: Value) => Value>(),
  /** [b, c, t] → [b, t, c] or back, a view. */
  framesFirst: value<(x: Value) => Value>(),
  /** Frames without the last of them: [b, c, t] → [b, c, t - 1], a view. */
  withoutLastFrame: value<(x: Value) => Value>(),
  /** In training, the parameter `name` of [h] in place of some frames of [b, t, h]. */
  maskedFrames: value<(name: string, x: Value) => Value>(),
  /** Zeros in place of frames that are padding, which batches with a mask have: [b, t, h] → [b, t, h]. */
  zeroedPadding: value<(x: Value) => Value>(),
  /** The mean of the frames that are not padding: [b, t, h] → [b, h]. */
  meanOfFrames: value<(x: Value) => Value>(),
}

export interface FrameConvolution {
  readonly kernel: number
  readonly stride: number
  /** Frames of zero padding; half the kernel by default. */
  readonly padding?: number
  /** True by default. */
  readonly bias?: boolean
  /** Groups of the convolution, 1 by default. */
  readonly groups?: number
  /** The weight is a direction times a length for each place in the kernel: torch's `weight_norm` with `dim=2`. */
  readonly isWeightNormed?: boolean
}
