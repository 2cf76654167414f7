/** Mistral 3: Pixtral's encoder of images in front of Mistral. transformers: models/mistral3. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { towerAndProjector } from '../images.ts'
import { gatedAnd, type Linears } from '../linears.ts'
import { size } from '../schema.ts'
import { patchesOf } from '../vision/patches.ts'
import { imageOfPixtral, pixtral, pixtralConfig } from '../vision/pixtral.ts'
import type { Blueprint, Images } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { mistral4, mistral4Config } from './deepseek.ts'
import { latentLinears } from './latent-attention.ts'
import { ministral3, ministral3Config, mistral, mistralConfig } from './llama.ts'

const mistral3Config = z.object({
  model_type: z.literal('mistral3'),
  tie_word_embeddings: z.boolean().default(true),
  text_config: z.discriminatedUnion('model_type', [mistralConfig, ministral3Config, mistral4Config]),
  vision_config: pixtralConfig.extend({ image_size: size.default(1_540) }),
  spatial_merge_size: size.default(2),
  multimodal_projector_bias: z.boolean().default(false),
})

type Mistral3Config = z.infer<typeof mistral3Config>

export function mistral3(config: Mistral3Config): Blueprint {
  const { text_config: text, vision_config: vision } = config
  return {
    ...mistralText(text),
    isTied: config.tie_word_embeddings,
    root: 'model.language_model',
    vision: (ops, images) => {
      const project = (seen: Value) => projected(ops, config, seen, images)
      return { among: ops.concatenate([pixtral(ops, 'model.vision_tower', vision, images, project)]) }
    },
  }
}

/** Mistral3MultiModalProjector: squares of patches become one by a matrix, and then a token. */
function projected(ops: Builder, config: Mistral3Config, seen: Value, images: Images): Value {
  const { text_config: text, spatial_merge_size: merge, multimodal_projector_bias: bias } = config
  const { hidden_size: hidden, patch_size: patch } = config.vision_config
  const projector = 'model.multi_modal_projector'
  const normed = ops.rmsNorm(`${projector}.norm`, seen, { size: hidden, scalesInFloat32: false })
  // `unfold` brings each image's squares together, features before squares, and `cat` those of all images.
  const squares = ops.inRows(ops.gathered(ops.gathered(normed)), patchesOf(images, patch).count / merge ** 2)
  const one = ops.linear(`${projector}.patch_merger.merging_layer`, squares, hidden, { bias: false })
  const widened = ops.gelu(ops.linear(`${projector}.linear_1`, one, text.hidden_size, { bias }))
  return ops.linear(`${projector}.linear_2`, widened, text.hidden_size, { bias })
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

function mistral3Linears({ text_config: text }: z.infer<typeof mistral3Config>): Linears {
  const { all } = gatedAnd('merging_layer', 'linear_1', 'linear_2')
  return { all: 'kv_lora_rank' in text ? [...new Set([...latentLinears(text).all, ...all])] : all }
}

export const mistral3Family = decoder(mistral3Config, mistral3, {
  linears: mistral3Linears,
  imageOf: (config, size) => imageOfPixtral(size, config.vision_config, config.spatial_merge_size),
  joinsImages: () => true,
  parts: towerAndProjector,
})
