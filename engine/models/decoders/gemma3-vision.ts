/** Gemma 3 that reads images beside text: SigLIP in front of Gemma 3's decoder. transformers: models/gemma3. */
import * as z from 'zod'
import { gatedAnd } from '../linears.ts'
import { layerCount, size } from '../schema.ts'
import { idleRmsNorm, siglip, siglipConfig, table } from '../vision/towers.ts'
import type { Blueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { gemma3, gemma3Config } from './gemma.ts'

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

function gemma3Vision({ text_config: text, vision_config: vision }: z.infer<typeof gemma3VisionConfig>): Blueprint {
  return {
    ...gemma3(text),
    root: 'model.language_model',
    idle: ops => {
      const projector = 'model.multi_modal_projector'
      siglip(ops, 'model.vision_tower', vision)
      table(ops, `${projector}.mm_input_projection_weight`, vision.hidden_size, text.hidden_size)
      idleRmsNorm(ops, `${projector}.mm_soft_emb_norm`, vision.hidden_size)
    },
  }
}

export const gemma3VisionFamily = decoder(gemma3VisionConfig, gemma3Vision, {
  linears: () => gatedAnd('out_proj', 'fc1', 'fc2'),
})
