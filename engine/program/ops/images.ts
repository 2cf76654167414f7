/** Layers over pixels. */

import { pair, value } from '../signature.ts'
import type { Value } from '../value.ts'

export const images = {
  /** The image processor's output for a sample: its patches, [b, count, features] in float32. */
  patches: value<(count: number, features: number) => Value>(),
  /** A mask beside those patches that says which pixels are no padding: [b, pixels] int64. */
  pixelMask: value<(pixels: number) => Value>(),
  /** A mask by which patches [b, n, h] that are one sequence see those of their own image alone: [b·n, b·n]. */
  maskAmongImages: value<(x: Value) => Value>(),
  /** A convolution whose stride is its kernel, over patches: [b, count, features] → [b, count, h]. */
  patchEmbedding: value<(name: string, x: Value, h: number, options: { readonly bias: boolean }) => Value>(),
  /** Rotary cos and sin for each patch's row and column, for a head of `size`: [b, count, size] in float32, or cast to the patches' type. */
  patchPositions: pair<(x: Value, size: number, options?: { readonly isCast?: boolean }) => readonly [Value, Value]>(),
  /** Adds `seen` [b, n, h] to the image tokens among the states [b, s, h], in a copy. */
  addedAmongWords: value<(states: Value, seen: Value) => Value>(),
  /** A square position table of `count` rows, interpolated bilinearly at each of the patches [b, n, h]. */
  resampledPositions: value<(name: string, x: Value, count: number) => Value>(),
  /** The row of a position table of `count` rows for each of the patches [b, n, h], looked up for every sample. */
  lookedUpPositions: value<(name: string, x: Value, count: number) => Value>(),
  /** Replaces the image tokens among [b, s, h] by `seen` [b, n, h]. */
  amongWords: value<(words: Value, seen: Value) => Value>(),
  /** The same, with the row of `seen` looked up for each token. */
  amongWordsByRow: value<(words: Value, seen: Value) => Value>(),
  /** The mean of each square of patches: [b, n, h] → [b, count, h]. */
  averagedPatches: value<(x: Value, count: number) => Value>(),
  /**
   * Patches of a whole image [b, n, h], and behind them those of its tiles, row by row without padding: [b, n, h] → [b, ofTile +
   * rows·(columns + 1), h], with the parameter `name` of [h] at the end of each row.
   */
  withNewlines: value<(name: string, x: Value, patches: RowsOfPatches) => Value>(),
  /** [b, c, y, x] → [b, outChannels, y', x']. */
  conv2d: value<(name: string, x: Value, outChannels: number, options: Convolution) => Value>(),
  batchNorm: value<(name: string, x: Value) => Value>(),
  maxPool: value<(x: Value, options: { kernel: number; stride: number; padding: number }) => Value>(),
  /** Repeats every pixel 2 × 2 times: [b, c, y, x] → [b, c, 2·y, 2·x]. */
  upsampleNearest: value<(x: Value) => Value>(),
  /** The same values, detached from the graph. */
  detached: value<(x: Value) => Value>(),
  /** Flattens and concatenates pixels of feature maps with the same channels: [b, c, y, x] each → [b, c, pixels]. */
  joinPixels: value<(parts: readonly Value[]) => Value>(),
  /**
   * Self-attention over pixels, from queries, keys and values of each head in [b, heads·(2·key + value), y, x]; its
   * result and a copy of the values, [b, heads·value, y, x] each.
   */
  pixelAttention: pair<(joined: Value, shape: PixelAttentionShape) => readonly [mixed: Value, values: Value]>(),
  /** [b, c, y, x] → [b, c]. `keepsInput`: as a pooling over a window of the image's size does. */
  globalAveragePool: value<(x: Value, options?: { readonly keepsInput?: boolean }) => Value>(),
  /** [b, c] → [b, c, 1, 1], a view. */
  asPixel: value<(x: Value) => Value>(),
  /** With rows and columns of zeros above and to the left, below and to the right. */
  paddedPixels: value<(x: Value, before: number, after: number) => Value>(),
  /** [b, c, y, x] → [b, y, x, c] and back, views. */
  channelsLast: value<(x: Value) => Value>(),
  channelsFirst: value<(x: Value) => Value>(),
  /** [b, c, y, x] → [b, y·x, c], a view. */
  flattenPixels: value<(x: Value) => Value>(),
}

export interface RowsOfPatches {
  /** Patches of one tile, which the whole image has too. */
  readonly ofTile: number
  readonly rows: number
  readonly columns: number
  /** What those are interpolated to. */
  readonly scaled?: { readonly rows: number; readonly columns: number }
}

export interface Convolution {
  readonly kernel: number
  readonly stride: number
  /** Pixels of zero padding; half the kernel by default. */
  readonly padding?: number
  /** False by default: a batch norm follows. */
  readonly bias?: boolean
  /** Groups of the convolution, 1 by default; as many as channels make it depthwise. */
  readonly groups?: number
}

export interface PixelAttentionShape {
  readonly heads: number
  readonly keySize: number
  readonly valueSize: number
}
