/** How image processors scale an image before they cut it into patches. */

export interface SizeInPixels {
  readonly height: number
  readonly width: number
}

/**
 * To multiples of `factor`, and to a number of pixels between two limits. transformers 5.18 models/qwen2_vl
 * image_processing_qwen2_vl.py smart_resize.
 */
export function scaledByPixels(
  { height, width }: SizeInPixels,
  factor: number,
  { least, most }: { readonly least: number; readonly most: number },
): SizeInPixels {
  const sides = [height, width]
  const rounded = sides.map(side => roundHalfToEven(side / factor) * factor)
  const pixels = (rounded[0] ?? 0) * (rounded[1] ?? 0)
  const shrinking = Math.sqrt((height * width) / most)
  const growing = Math.sqrt(least / (height * width))
  const scaled =
    pixels > most
      ? sides.map(side => Math.max(factor, Math.floor(side / shrinking / factor) * factor))
      : pixels < least
        ? sides.map(side => Math.ceil((side * growing) / factor) * factor)
        : rounded
  return { height: scaled[0] ?? factor, width: scaled[1] ?? factor }
}

/**
 * Tiles of `side` pixels that cover an image whose longer side is scaled to `most` of them. transformers 5.18
 * models/smolvlm image_processing_smolvlm.py: resize and resize_for_vision_encoder.
 */
export function tilesOfScaled({ height, width }: SizeInPixels, side: number, most: number): number {
  const longer = most * side
  const scaled = (ratio: number) => Math.max(1, Math.floor(width >= height ? longer / ratio : longer * ratio))
  const first = scaled(width / height)
  const even = first + (first % 2)
  const second = scaled(width >= height ? longer / even : even / longer)
  return most * Math.ceil(second / side)
}

/**
 * Tiles in the grid whose shape is closest to the image's, at most `most` of them; of equally close ones the last that is not
 * twice as large as the image. transformers 5.18 models/got_ocr2 image_processing_got_ocr2.py get_optimal_tiled_canvas.
 */
export function tilesOfClosestShape({ height, width }: SizeInPixels, tile: SizeInPixels, most: number): number {
  let best = { difference: Number.POSITIVE_INFINITY, tiles: 1 }
  for (const { columns, rows } of gridsUpTo(most)) {
    const difference = Math.abs(width / height - columns / rows)
    const tiles = columns * rows
    const isSmallEnough = height * width > 0.5 * tile.height * tile.width * tiles
    if (difference < best.difference || (difference === best.difference && isSmallEnough)) best = { difference, tiles }
  }
  return best.tiles
}

/**
 * The size in which most of an image's pixels are kept, and of equals the smallest. transformers 5.18
 * image_processing_utils.py select_best_resolution.
 */
export function bestSize({ height, width }: SizeInPixels, sizes: readonly SizeInPixels[]): SizeInPixels {
  let best = { size: { height: 0, width: 0 }, kept: 0, wasted: Number.POSITIVE_INFINITY }
  for (const size of sizes) {
    const scale = Math.min(size.width / width, size.height / height)
    const kept = Math.min(Math.floor(width * scale) * Math.floor(height * scale), width * height)
    const wasted = size.width * size.height - kept
    if (kept > best.kept || (kept === best.kept && wasted < best.wasted)) best = { size, kept, wasted }
  }
  return best.size
}

/** What an image fills of a frame of another shape that it was fitted into. models/llava_next: _get_unpadded_features. */
export function withoutPadding({ height, width }: SizeInPixels, frame: SizeInPixels): SizeInPixels {
  const without = (whole: number, part: number) => whole - 2 * Math.floor((whole - wholePart(part)) / 2)
  return width / height > frame.width / frame.height
    ? { ...frame, height: without(frame.height, height * (frame.width / width)) }
    : { ...frame, width: without(frame.width, width * (frame.height / height)) }
}

/** Python's `//` of floats, which does not round before it cuts: 135 // (5 / 3) is 80. */
export function floorDivided(value: number, divisor: number): number {
  return Math.round((value - (value % divisor)) / divisor)
}

/** Python's int(round(value, 7)). */
function wholePart(value: number): number {
  return Math.floor(Math.round(value * 1e7) / 1e7)
}

/** From the smallest. */
function gridsUpTo(most: number): { readonly columns: number; readonly rows: number }[] {
  const sides = Array.from({ length: most }, (_, index) => index + 1)
  const grids = sides.flatMap(columns => sides.map(rows => ({ columns, rows })))
  return grids
    .filter(({ columns, rows }) => columns * rows <= most)
    .toSorted((a, b) => a.columns * a.rows - b.columns * b.rows)
}

/** Python's round(). */
function roundHalfToEven(value: number): number {
  const floor = Math.floor(value)
  if (value - floor !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}
