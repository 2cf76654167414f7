/** LFM2-VL: LFM2 that reads images too, trained on text. transformers: models/{lfm2_vl,siglip2}. */
import * as z from 'zod'
import { size } from '../schema.ts'
import { idleLinear, siglip, siglipConfig } from '../vision/towers.ts'
import type { Blueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { lfm2, lfm2Config, lfm2Linears } from './lfm2.ts'

const lfm2VlConfig = z.object({
  model_type: z.literal('lfm2_vl'),
  tie_word_embeddings: z.boolean().default(true),
  text_config: lfm2Config.omit({ model_type: true }),
  vision_config: siglipConfig.omit({ image_size: true }).extend({ num_patches: size.default(256) }),
  projector_hidden_size: size.default(2_560),
  projector_bias: z.boolean().default(true),
  projector_use_layernorm: z.boolean().default(true),
  downsample_factor: size.default(2),
})

function lfm2Vl(config: z.infer<typeof lfm2VlConfig>): Blueprint {
  const { text_config: text, vision_config: vision, projector_hidden_size: inner, projector_bias: bias } = config
  const features = vision.hidden_size * config.downsample_factor ** 2
  const projector = 'model.multi_modal_projector'
  return {
    ...lfm2(text),
    isTied: config.tie_word_embeddings,
    root: 'model.language_model',
    idle: ops => {
      siglip(ops, 'model.vision_tower', { ...vision, image_size: vision.patch_size * Math.sqrt(vision.num_patches) })
      if (config.projector_use_layernorm) ops.idle(features, x => ops.layerNorm(`${projector}.layer_norm`, x))
      idleLinear(ops, `${projector}.linear_1`, features, inner, bias)
      idleLinear(ops, `${projector}.linear_2`, inner, text.hidden_size, bias)
    },
  }
}

export const lfm2VlFamily = decoder(lfm2VlConfig, lfm2Vl, {
  linears: () => ({ all: [...lfm2Linears, 'fc1', 'fc2', 'linear_1', 'linear_2'] }),
})
