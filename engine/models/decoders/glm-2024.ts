/** GLM-4-9B of 2024: half of every head turned, gate and up joined, norms before each part. transformers: models/glm. */
import * as z from 'zod'
import { attentionAnd } from '../linears.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, headSizeOf, llamaBlueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { joinedFeedForward } from './feed-forward.ts'

const config = decoderFields.extend({
  model_type: z.literal('glm'),
  attention_bias: z.boolean().default(true),
  partial_rotary_factor: z.number().min(0).max(1).default(0.5),
})

function blueprint(glm: z.infer<typeof config>): Blueprint {
  return {
    ...llamaBlueprint(glm, {
      mixer: attentionOf(glm, { queryBias: glm.attention_bias }),
      feedForward: joinedFeedForward({ hidden: glm.hidden_size, inner: glm.intermediate_size }),
    }),
    rotarySize: Math.floor(headSizeOf(glm) * glm.partial_rotary_factor),
  }
}

export const glm2024Family = decoder(config, blueprint, {
  linears: () => attentionAnd('gate_up_proj', 'down_proj'),
})
