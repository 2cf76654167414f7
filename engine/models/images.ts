/** Images among the words of a model: how its processor scales one, and how many tokens become of it. */

import type { ModelConfig } from './architecture.ts'
import type { Images } from './decoders/blueprint.ts'
import { clipPatches } from './vision/clip.ts'
import { scaledByPixels } from './vision/image-scaling.ts'
import { patchesOf } from './vision/patches.ts'

export interface SizeInPixels {
  readonly height: number
  readonly width: number
}

/** What a sample's image comes to: pieces of a size, as the tower sees them, and tokens of the sequence. */
export interface ImageOfSample {
  readonly images: Images
  readonly tokens: number
}

/**
 * One image of `size`, as the model's own processor has it; undefined where images among words are not modelled.
 * transformers 5.18: models/{qwen2_vl,clip}/image_processing_*.py.
 */
export function imageOfSample(config: ModelConfig, size: SizeInPixels): ImageOfSample | undefined {
  switch (config.model_type) {
    case 'qwen2_vl':
    case 'qwen2_5_vl': {
      const { patch_size: patch, spatial_merge_size: merge } = config.vision_config
      const scaled = scaledByPixels(size, patch * merge, QWEN2_PIXELS)
      return counted({ ...scaled, tiles: 1, checkpointed: 'decoder' }, { patch, merge })
    }
    case 'qwen3_vl':
    case 'qwen3_vl_moe': {
      const { patch_size: patch, spatial_merge_size: merge } = config.vision_config
      const scaled = scaledByPixels(size, patch * merge, QWEN3_PIXELS)
      return counted({ ...scaled, tiles: 1, checkpointed: 'decoder' }, { patch, merge })
    }
    case 'llava': {
      const { vision_config: vision } = config
      // CLIPImageProcessor: scaled and cut to the square that the tower was trained on, whatever its size.
      if (vision.model_type !== 'clip_vision_model') return undefined
      const { image_size: side } = vision
      return { images: { tiles: 1, height: side, width: side, checkpointed: 'decoder' }, tokens: clipPatches(vision) }
    }
    default:
      return undefined
  }
}

/** preprocessor_config.json of the published Qwen 3 VL. */
const QWEN3_PIXELS = { least: 65_536, most: 16_777_216 }

/** Qwen2VLImageProcessor: pixels of the smallest and of the largest image, which the published checkpoints raise to 12,845,056. */
const QWEN2_PIXELS = { least: 56 * 56, most: 12_845_056 }

function counted(images: Images, { patch, merge }: { readonly patch: number; readonly merge: number }): ImageOfSample {
  return { images, tokens: patchesOf(images, patch).count / merge ** 2 }
}

/** Whether images can be counted beside a model's text. */
export function readsImages(config: ModelConfig): boolean {
  return imageOfSample(config, { height: 224, width: 224 }) !== undefined
}

/** Patterns of parameter names, by the part of a vision-language model that they stand for. */
export interface ModelParts {
  readonly language: readonly string[]
  readonly tower: readonly string[]
  readonly projector: readonly string[]
}

const LANGUAGE = [String.raw`model\.language_model\.`, 'lm_head']

/** Of a model that reads images among its words. */
export function partsOf(config: ModelConfig): ModelParts | undefined {
  switch (config.model_type) {
    case 'qwen2_vl':
    case 'qwen2_5_vl':
    case 'qwen3_vl':
    case 'qwen3_vl_moe':
      return {
        language: LANGUAGE,
        tower: ['patch_embed', 'pos_embed', 'blocks', 'deepstack_merger_list'].map(
          part => String.raw`model\.visual\.${part}\.`,
        ),
        projector: [String.raw`model\.visual\.merger\.`],
      }
    case 'llava':
      return {
        language: LANGUAGE,
        tower: [String.raw`model\.vision_tower\.`],
        projector: [String.raw`model\.multi_modal_projector\.`],
      }
    default:
      return undefined
  }
}
