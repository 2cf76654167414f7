/** Qwen 2 VL, 2.5 VL and 3 VL: a vision tower in front of Qwen. transformers: models/{qwen2_vl,qwen2_5_vl,qwen3_vl,qwen3_vl_moe}. */
import * as z from 'zod'
import {
  type ImageOfSample,
  imageInPatches,
  languageParts,
  type MergedPatches,
  type VideoRule,
  videoInPatches,
} from '../images.ts'
import { attentionAnd, gatedAnd, type Linears } from '../linears.ts'
import type { SizeInPixels } from '../vision/image-scaling.ts'
import { qwen2Vision, qwen2VisionConfig, qwen25Vision, qwen25VisionConfig } from '../vision/qwen-vision.ts'
import { qwen3Vision } from '../vision/qwen3-vision.ts'
import { qwen3VisionConfig } from '../vision/towers.ts'
import { type Blueprint, decoderFields, type Vision } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { qwen2, qwen3, qwen3Config } from './qwen.ts'
import { qwen3Moe, qwen3MoeConfig } from './qwen-moe.ts'

const qwen2Text = decoderFields.extend({ use_sliding_window: z.boolean().default(false) })

/** Qwen 2 and 2.5 wrote the decoder's fields beside `vision_config` until transformers 4.52. */
const qwen2VlConfig = z.object({
  model_type: z.literal('qwen2_vl'),
  tie_word_embeddings: z.boolean().default(false),
  text_config: qwen2Text,
  vision_config: qwen2VisionConfig,
})
const qwen25VlConfig = z.object({
  model_type: z.literal('qwen2_5_vl'),
  tie_word_embeddings: z.boolean().default(false),
  text_config: qwen2Text,
  vision_config: qwen25VisionConfig,
})
const qwen3VlConfig = z.object({
  model_type: z.literal('qwen3_vl'),
  tie_word_embeddings: z.boolean().default(false),
  text_config: qwen3Config.omit({ model_type: true }),
  vision_config: qwen3VisionConfig,
})
const qwen3VlMoeConfig = z.object({
  model_type: z.literal('qwen3_vl_moe'),
  tie_word_embeddings: z.boolean().default(false),
  text_config: qwen3MoeConfig.omit({ model_type: true }),
  vision_config: qwen3VisionConfig,
})

function qwen2Vl(config: z.infer<typeof qwen2VlConfig>): Blueprint {
  return seeing(config, qwen2(config.text_config), (ops, images) => ({
    among: qwen2Vision(ops, 'model.visual', config.vision_config, images),
  }))
}

function qwen25Vl(config: z.infer<typeof qwen25VlConfig>): Blueprint {
  return seeing(config, qwen2(config.text_config), (ops, images) => ({
    among: qwen25Vision(ops, 'model.visual', config.vision_config, images),
  }))
}

function qwen3Vl(config: z.infer<typeof qwen3VlConfig>): Blueprint {
  return seeing(config, qwen3(config.text_config), (ops, images) =>
    qwen3Vision(ops, 'model.visual', config.vision_config, images),
  )
}

function qwen3VlMoe(config: z.infer<typeof qwen3VlMoeConfig>): Blueprint {
  return seeing(config, qwen3Moe(config.text_config), (ops, images) =>
    qwen3Vision(ops, 'model.visual', config.vision_config, images),
  )
}

function seeing(
  { tie_word_embeddings: isTied }: { readonly tie_word_embeddings: boolean },
  text: Blueprint,
  vision: Vision,
): Blueprint {
  return { ...text, isTied, root: 'model.language_model', vision }
}

interface PixelRules {
  readonly image: { readonly least: number; readonly most: number }
  readonly video: VideoRule
}

/**
 * Qwen2VLImageProcessor: pixels of the smallest and of the largest image, which the published checkpoints raise to 12,845,056; of
 * videos Qwen2VLVideoProcessor's own.
 */
const qwen2Pixels: PixelRules = {
  image: { least: 56 * 56, most: 12_845_056 },
  video: { least: 128 * 28 ** 2, most: 768 * 28 ** 2, of: 'each-frame' },
}
/** preprocessor_config.json and video_preprocessor_config.json of the published Qwen 3 VL. */
const qwen3Pixels: PixelRules = {
  image: { least: 65_536, most: 16_777_216 },
  video: { least: 4_096, most: 25_165_824, of: 'all-frames' },
}

/** What the families' images and parts have in common. */
function seeingTraits(linears: Linears, pixels: PixelRules) {
  return {
    linears: () => linears,
    imageOf: (
      { vision_config: vision }: { readonly vision_config: MergedPatches },
      size: SizeInPixels,
    ): ImageOfSample => imageInPatches(size, vision, pixels.image),
    videoOf: (
      { vision_config: vision }: { readonly vision_config: MergedPatches & { readonly temporal_patch_size: number } },
      size: SizeInPixels,
      frames: number,
    ): ImageOfSample => videoInPatches(size, frames, vision, pixels.video),
    parts: {
      language: languageParts,
      tower: ['patch_embed', 'pos_embed', 'blocks', 'deepstack_merger_list'].map(
        part => String.raw`model\.visual\.${part}\.`,
      ),
      projector: [String.raw`model\.visual\.merger\.`],
    },
  }
}

export const qwen2VlFamily = decoder(
  qwen2VlConfig,
  qwen2Vl,
  seeingTraits(gatedAnd('qkv', 'proj', 'fc1', 'fc2', '0', '2'), qwen2Pixels),
)
export const qwen25VlFamily = decoder(
  qwen25VlConfig,
  qwen25Vl,
  seeingTraits(gatedAnd('qkv', 'proj', '0', '2'), qwen2Pixels),
)
export const qwen3VlFamily = decoder(
  qwen3VlConfig,
  qwen3Vl,
  seeingTraits(gatedAnd('qkv', 'proj', 'linear_fc1', 'linear_fc2'), qwen3Pixels),
)
export const qwen3VlMoeFamily = decoder(
  qwen3VlMoeConfig,
  qwen3VlMoe,
  seeingTraits(attentionAnd('qkv', 'proj', 'linear_fc1', 'linear_fc2'), qwen3Pixels),
)
