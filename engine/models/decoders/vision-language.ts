/**
 * Checkpoints that read text and images. Where a family's images are not modelled, the weights of its tower are counted alone.
 * transformers: models/{gemma3,mistral3,qwen2_vl,qwen2_5_vl,qwen3_vl,qwen3_vl_moe}.
 */
import * as z from 'zod'
import {
  type ImageOfSample,
  imageInPatches,
  languageParts,
  type MergedPatches,
  type ModelParts,
  type SizeInPixels,
} from '../images.ts'
import { attentionAnd, gatedAnd, type Linears } from '../linears.ts'
import { layerCount, size } from '../schema.ts'
import { qwen2Vision, qwen2VisionConfig, qwen25Vision, qwen25VisionConfig } from '../vision/qwen-vision.ts'
import { qwen3Vision } from '../vision/qwen3-vision.ts'
import {
  idleLinear,
  idleRmsNorm,
  pixtral,
  pixtralConfig,
  qwen3VisionConfig,
  siglip,
  siglipConfig,
  table,
} from '../vision/towers.ts'
import { type Blueprint, decoderFields, type Vision } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { mistral4, mistral4Config } from './deepseek.ts'
import { gemma3, gemma3Config } from './gemma.ts'
import { latentLinears } from './latent-attention.ts'
import { ministral3, ministral3Config, mistral, mistralConfig } from './llama.ts'
import { qwen2, qwen3, qwen3Config } from './qwen.ts'
import { qwen3Moe, qwen3MoeConfig } from './qwen-moe.ts'

const languageModel = 'model.language_model'

/** What transformers' Gemma3TextConfig says where the checkpoint's config.json says nothing. */
const gemma3VisionConfig = z.object({
  model_type: z.literal('gemma3'),
  text_config: gemma3Config.omit({ model_type: true }).extend({
    vocab_size: size.default(262_208),
    hidden_size: size.default(2_304),
    intermediate_size: size.default(9_216),
    num_hidden_layers: layerCount.default(26),
    num_attention_heads: size.default(8),
    num_key_value_heads: size.default(4),
    head_dim: size.default(256),
    max_position_embeddings: size.default(131_072),
    sliding_window: size.nullish().default(4_096),
  }),
  vision_config: siglipConfig,
})

const mistral3Config = z.object({
  model_type: z.literal('mistral3'),
  tie_word_embeddings: z.boolean().default(true),
  text_config: z.discriminatedUnion('model_type', [mistralConfig, ministral3Config, mistral4Config]),
  vision_config: pixtralConfig,
  spatial_merge_size: size.default(2),
  multimodal_projector_bias: z.boolean().default(false),
})

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

function gemma3Vision({ text_config: text, vision_config: vision }: z.infer<typeof gemma3VisionConfig>): Blueprint {
  return {
    ...gemma3(text),
    root: languageModel,
    idle: ops => {
      const projector = 'model.multi_modal_projector'
      siglip(ops, 'model.vision_tower', vision)
      table(ops, `${projector}.mm_input_projection_weight`, vision.hidden_size, text.hidden_size)
      idleRmsNorm(ops, `${projector}.mm_soft_emb_norm`, vision.hidden_size)
    },
  }
}

export function mistral3(config: z.infer<typeof mistral3Config>): Blueprint {
  const {
    text_config: text,
    vision_config: vision,
    spatial_merge_size: merge,
    multimodal_projector_bias: bias,
  } = config
  return {
    ...mistralText(text),
    isTied: config.tie_word_embeddings,
    root: languageModel,
    idle: ops => {
      const projector = 'model.multi_modal_projector'
      pixtral(ops, 'model.vision_tower', vision)
      idleRmsNorm(ops, `${projector}.norm`, vision.hidden_size)
      idleLinear(
        ops,
        `${projector}.patch_merger.merging_layer`,
        vision.hidden_size * merge ** 2,
        vision.hidden_size,
        false,
      )
      idleLinear(ops, `${projector}.linear_1`, vision.hidden_size, text.hidden_size, bias)
      idleLinear(ops, `${projector}.linear_2`, text.hidden_size, text.hidden_size, bias)
    },
  }
}

function mistralText(text: z.infer<typeof mistral3Config>['text_config']): Blueprint {
  switch (text.model_type) {
    case 'mistral':
      return mistral(text)
    case 'ministral3':
      return ministral3(text)
    case 'mistral4':
      return mistral4(text)
  }
}

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
  return { ...text, isTied, root: languageModel, vision }
}

function mistral3Linears({ text_config: text }: z.infer<typeof mistral3Config>): Linears {
  const { all } = gatedAnd('merging_layer', 'linear_1', 'linear_2')
  return { all: 'kv_lora_rank' in text ? [...new Set([...latentLinears(text).all, ...all])] : all }
}

export const gemma3VisionFamily = decoder(gemma3VisionConfig, gemma3Vision, {
  linears: () => gatedAnd('out_proj', 'fc1', 'fc2'),
})
export const mistral3Family = decoder(mistral3Config, mistral3, { linears: mistral3Linears })
const qwenParts: ModelParts = {
  language: languageParts,
  tower: ['patch_embed', 'pos_embed', 'blocks', 'deepstack_merger_list'].map(
    part => String.raw`model\.visual\.${part}\.`,
  ),
  projector: [String.raw`model\.visual\.merger\.`],
}

interface WithTower {
  readonly vision_config: MergedPatches
}

/** Qwen2VLImageProcessor: pixels of the smallest and of the largest image, which the published checkpoints raise to 12,845,056. */
function qwen2Image({ vision_config: vision }: WithTower, size: SizeInPixels): ImageOfSample {
  return imageInPatches(size, vision, { least: 56 * 56, most: 12_845_056 })
}

/** preprocessor_config.json of the published Qwen 3 VL. */
function qwen3Image({ vision_config: vision }: WithTower, size: SizeInPixels): ImageOfSample {
  return imageInPatches(size, vision, { least: 65_536, most: 16_777_216 })
}

export const qwen2VlFamily = decoder(qwen2VlConfig, qwen2Vl, {
  linears: () => gatedAnd('qkv', 'proj', 'fc1', 'fc2', '0', '2'),
  imageOf: qwen2Image,
  parts: qwenParts,
})
export const qwen25VlFamily = decoder(qwen25VlConfig, qwen25Vl, {
  linears: () => gatedAnd('qkv', 'proj', '0', '2'),
  imageOf: qwen2Image,
  parts: qwenParts,
})
export const qwen3VlFamily = decoder(qwen3VlConfig, qwen3Vl, {
  linears: () => gatedAnd('qkv', 'proj', 'linear_fc1', 'linear_fc2'),
  imageOf: qwen3Image,
  parts: qwenParts,
})
export const qwen3VlMoeFamily = decoder(qwen3VlMoeConfig, qwen3VlMoe, {
  linears: () => attentionAnd('qkv', 'proj', 'linear_fc1', 'linear_fc2'),
  imageOf: qwen3Image,
  parts: qwenParts,
})
