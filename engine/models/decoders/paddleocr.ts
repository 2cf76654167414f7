/** PaddleOCR-VL: a small decoder like Llama behind a SigLIP of its own. transformers: models/paddleocr_vl. */
import * as z from 'zod'
import { gatedAnd } from '../linears.ts'
import { layerCount, size } from '../schema.ts'
import { idleLinear, siglip, siglipConfig } from '../vision/towers.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, llamaBlueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { gatedFeedForward } from './feed-forward.ts'

/** Published files write the decoder's fields beside `vision_config`. */
const paddleocrConfig = z.object({
  model_type: z.literal('paddleocr_vl'),
  tie_word_embeddings: z.boolean().default(true),
  text_config: decoderFields.omit({ sliding_window: true }).extend({
    head_dim: size.nullish().default(128),
    use_bias: z.boolean().default(false),
  }),
  vision_config: siglipConfig.omit({ vision_use_head: true }).extend({
    hidden_size: size.default(1_152),
    intermediate_size: size.default(4_304),
    num_hidden_layers: layerCount.default(27),
    image_size: size.default(384),
    patch_size: size.default(14),
    spatial_merge_size: size.default(2),
  }),
})

export function paddleocr({ text_config: text, ...config }: z.infer<typeof paddleocrConfig>): Blueprint {
  const { hidden_size: hidden, intermediate_size: inner, use_bias: bias } = text
  const { vision_config: vision } = config
  const merged = vision.hidden_size * vision.spatial_merge_size ** 2
  return {
    ...llamaBlueprint(text, {
      mixer: attentionOf({ ...text, attention_dropout: 0 }, { queryBias: bias, outputBias: bias }),
      feedForward: gatedFeedForward({ hidden, inner, bias }),
    }),
    isTied: config.tie_word_embeddings,
    root: 'model.language_model',
    idle: ops => {
      siglip(ops, 'model.visual.vision_model', { ...vision, vision_use_head: false })
      ops.idle(vision.hidden_size, x => ops.layerNorm('model.projector.pre_norm', x))
      idleLinear(ops, 'model.projector.linear_1', merged, merged, true)
      idleLinear(ops, 'model.projector.linear_2', merged, hidden, true)
    },
  }
}

export const paddleocrFamily = decoder(paddleocrConfig, paddleocr, {
  linears: () => gatedAnd('out_proj', 'fc1', 'fc2', 'linear_1', 'linear_2'),
})
