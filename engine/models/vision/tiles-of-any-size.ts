/**
 * How LLaVA-NeXT and LLaVA-OneVision cut an image of any size into the tower's tiles. transformers:
 * models/{llava_next,llava_onevision}.
 */
import * as z from 'zod'
import { size } from '../schema.ts'
import type { SizeInPixels } from './image-scaling.ts'
import { bestSize, withoutPadding } from './image-scaling.ts'

/** Height and width of what an image may be scaled to. */
export const sizesInPixels = z
  .array(z.tuple([size, size]))
  .min(1)
  .max(100)

interface SquareTower {
  readonly image_size: number
  readonly patch_size: number
}

/** Tiles of an image, the whole one among them, and the patches: of a tile, and of the others without padding. */
export function cutIntoTiles(
  image: SizeInPixels,
  { image_size: side, patch_size: patch }: SquareTower,
  sizes: z.infer<typeof sizesInPixels>,
) {
  const perSide = Math.floor(side / patch)
  const best = bestSize(
    image,
    sizes.map(([height, width]) => ({ height, width })),
  )
  const [down, across] = [Math.floor(best.height / side), Math.floor(best.width / side)]
  const { height: rows, width: columns } = withoutPadding(image, { height: down * perSide, width: across * perSide })
  return { tiles: down * across + 1, ofTile: perSide ** 2, rows, columns }
}
