/** Layers over pixels. */
import type { Value } from '../program.ts'
import { pair, value } from '../signature.ts'

export const images = {
  /** What a processor makes of a sample's images: their patches, [b, count, features] in float32. */
  patches: value<(count: number, features: number) => Value>(),
  /** A convolution that goes from patch to patch: [b, count, features] → [b, count, h]. */
  patchEmbedding: value<(name: string, x: Value, h: number, options: { readonly bias: boolean }) => Value>(),
  /** cos and sin of every patch's row and column, of a head's `size`: [b, count, size] in float32. */
  patchPositions: pair<(x: Value, size: number) => readonly [Value, Value]>(),
  /** Adds rows of `seen` [b, n, h] to as many of the words' states [b, s, h], in a copy of those. */
  addedAmongWords: value<(states: Value, seen: Value) => Value>(),
  /** The learned table of `count` positions of a square, four of them weighted for each of the patches [b, n, h]. */
  resampledPositions: value<(name: string, x: Value, count: number) => Value>(),
  /** Puts rows of `seen` [b, n, h] in the place of as many of the words [b, s, h]. */
  amongWords: value<(words: Value, seen: Value) => Value>(),
  /** The mean of each square of patches, row by row: [b, n, h] → [b, count, h]. */
  averagedPatches: value<(x: Value, count: number) => Value>(),
  /** [b, c, y, x] → [b, outChannels, y', x']. */
  conv2d: value<(name: string, x: Value, outChannels: number, options: Convolution) => Value>(),
  batchNorm: value<(name: string, x: Value) => Value>(),
  maxPool: value<(x: Value, options: { kernel: number; stride: number; padding: number }) => Value>(),
  /** Every pixel four times: [b, c, y, x] → [b, c, 2·y, 2·x]. */
  upsampleNearest: value<(x: Value) => Value>(),
  /** The same, out of which no gradient comes back. */
  detached: value<(x: Value) => Value>(),
  /** The pixels of several images of as many channels, one after the other: [b, c, y, x] each → [b, c, pixels]. */
  joinPixels: value<(parts: readonly Value[]) => Value>(),
  /**
   * Every pixel's attention to all others, from queries, keys and values of each head in [b, heads·(2·key + value), y,
   * x]: what it comes to, and a copy of the values, [b, heads·value, y, x] each.
   */
  pixelAttention: pair<(joined: Value, shape: PixelAttentionShape) => readonly [mixed: Value, values: Value]>(),
  /** [b, c, y, x] → [b, c]. */
  globalAveragePool: value<(x: Value) => Value>(),
  /** [b, c, y, x] → [b, y, x, c] and back, views. */
  channelsLast: value<(x: Value) => Value>(),
  channelsFirst: value<(x: Value) => Value>(),
  /** [b, c, y, x] → [b, y·x, c], a view. */
  flattenPixels: value<(x: Value) => Value>(),
}

export interface Convolution {
  readonly kernel: number
  readonly stride: number
  /** Pixels of zeros around the image; half the kernel by default. */
  readonly padding?: number
  /** False by default: a batch norm follows. */
  readonly bias?: boolean
  /** Channels are convolved within this many groups, one by default; as many as channels make it depthwise. */
  readonly groups?: number
}

export interface PixelAttentionShape {
  readonly heads: number
  readonly keySize: number
  readonly valueSize: number
}
