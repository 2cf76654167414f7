/** Mistral 3: Pixtral's encoder of images in front of Mistral. transformers: models/mistral3. */
import * as z from 'zod'
import { gatedAnd, type Linears } from '../linears.ts'
import { size } from '../schema.ts'
import { idleLinear, idleRmsNorm, pixtral, pixtralConfig } from '../vision/towers.ts'
import type { Blueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { mistral4, mistral4Config } from './deepseek.ts'
import { latentLinears } from './latent-attention.ts'
import { ministral3, ministral3Config, mistral, mistralConfig } from './llama.ts'

const mistral3Config = z.object({
  model_type: z.literal('mistral3'),
  tie_word_embeddings: z.boolean().default(true),
  text_config: z.discriminatedUnion('model_type', [mistralConfig, ministral3Config, mistral4Config]),
  vision_config: pixtralConfig,
  spatial_merge_size: size.default(2),
  multimodal_projector_bias: z.boolean().default(false),
})

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
    root: 'model.language_model',
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

function mistral3Linears({ text_config: text }: z.infer<typeof mistral3Config>): Linears {
  const { all } = gatedAnd('merging_layer', 'linear_1', 'linear_2')
  return { all: 'kv_lora_rank' in text ? [...new Set([...latentLinears(text).all, ...all])] : all }
}

export const mistral3Family = decoder(mistral3Config, mistral3, { linears: mistral3Linears })
