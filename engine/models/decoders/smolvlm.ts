/** SmolVLM and Idefics 3: SigLIP, whose patches are merged by squares, in front of Llama. transformers: models/{smolvlm,idefics3}. */
import * as z from 'zod'
import { gatedAnd } from '../linears.ts'
import { size } from '../schema.ts'
import { idleLinear, siglip, siglipConfig } from '../vision/towers.ts'
import type { Blueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { llama, llamaConfig } from './llama.ts'

const fields = {
  tie_word_embeddings: z.boolean().default(false),
  text_config: llamaConfig,
  vision_config: siglipConfig.omit({ vision_use_head: true }).extend({
    hidden_size: size.default(1_152),
    patch_size: size.default(32),
  }),
  /** Patches of a square's side that become one word. */
  scale_factor: size.default(2),
}
const smolvlmConfig = z.object({ model_type: z.literal('smolvlm'), ...fields })
const idefics3Config = z.object({ model_type: z.literal('idefics3'), ...fields })

export function smolvlm(config: z.infer<typeof smolvlmConfig | typeof idefics3Config>): Blueprint {
  const { text_config: text, vision_config: vision, scale_factor: scale } = config
  return {
    ...llama(text),
    isTied: config.tie_word_embeddings,
    root: 'model.text_model',
    idle: ops => {
      siglip(ops, 'model.vision_model', { ...vision, vision_use_head: false })
      const projection = 'model.connector.modality_projection.proj'
      idleLinear(ops, projection, vision.hidden_size * scale ** 2, text.hidden_size, false)
    },
  }
}

export const smolvlmFamily = decoder(smolvlmConfig, smolvlm, {
  linears: () => gatedAnd('out_proj', 'fc1', 'fc2', 'proj'),
})
export const idefics3Family = decoder(idefics3Config, smolvlm, {
  linears: () => gatedAnd('out_proj', 'fc1', 'fc2', 'proj'),
})
