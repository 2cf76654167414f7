/** Images in a sequence: how a model's processor scales one, and how many tokens it takes. */
import type { Images } from './decoders/blueprint.ts'
import { type SizeInPixels, scaledByPixels } from './vision/image-scaling.ts'
import { patchesOf } from './vision/patches.ts'

/** What a sample's image comes to: pieces of a size, as the tower sees them, and tokens of the sequence. */
export interface ImageOfSample {
  readonly images: Images
  readonly tokens: number
}

/** What a tool does to an image before the model's processor does. */
export interface ImageHandling {
  /** Whether a processor that can leave an image whole cuts it into tiles; true by default. */
  readonly cuts?: boolean
}

/** Patterns of parameter names, by the part of a vision-language model that they stand for. */
export interface ModelParts {
  readonly language: readonly string[]
  readonly tower: readonly string[]
  readonly projector: readonly string[]
}

/** The decoder's parameters, as transformers names them in models that read images. */
export const languageParts = [String.raw`model\.language_model\.`, 'lm_head'] as const

/** Of most models: a tower, and a projector from what it sees to the decoder's words. */
export const towerAndProjector: ModelParts = {
  language: languageParts,
  tower: [String.raw`model\.vision_tower\.`],
  projector: [String.raw`model\.multi_modal_projector\.`],
}

/** How a tower that takes images of any size cuts them into patches and merges these into tokens. */
export interface MergedPatches {
  readonly patch_size: number
  readonly spatial_merge_size: number
}

/** What a sample has: an `image`, or a `video of 16 frames`. */
export function seenInWords(frames: number | undefined): string {
  return frames === undefined ? 'image' : `video of ${frames} frames`
}

/** Between which numbers of pixels a video is scaled. */
export interface VideoRule {
  readonly least: number
  readonly most: number
  readonly of: 'each-frame' | 'all-frames'
}

/** A video whose frames are seen in groups, each as an image is; the last frame is repeated where a group is not full. */
export function videoInPatches(
  size: SizeInPixels,
  frames: number,
  vision: MergedPatches & { readonly temporal_patch_size: number },
  { least, most, of }: VideoRule,
): ImageOfSample {
  const tiles = Math.ceil(frames / vision.temporal_patch_size)
  const shared = of === 'all-frames' ? tiles * vision.temporal_patch_size : 1
  const { images, tokens } = imageInPatches(size, vision, { least: least / shared, most: most / shared })
  return { images: { ...images, tiles }, tokens: tiles * tokens }
}

/** An image that is scaled to a number of pixels between two limits, and of which `merge²` patches become a token. */
export function imageInPatches(
  size: SizeInPixels,
  { patch_size: patch, spatial_merge_size: merge }: MergedPatches,
  pixels: { readonly least: number; readonly most: number },
): ImageOfSample {
  const scaled = scaledByPixels(size, patch * merge, pixels)
  const images: Images = { ...scaled, tiles: 1, checkpointed: 'decoder' }
  return { images, tokens: patchesOf(images, patch).count / merge ** 2 }
}
