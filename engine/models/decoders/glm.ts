/** GLM 4, dense: norms around each part, half of every head turned, gate and up joined. transformers: models/glm4. */
import * as z from 'zod'
import { attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, headSizeOf, llamaBlueprint } from './blueprint.ts'
import { joinedFeedForward } from './feed-forward.ts'

export const glm4Config = decoderFields.extend({
  model_type: z.literal('glm4'),
  attention_bias: z.boolean().default(true),
  partial_rotary_factor: z.number().min(0).max(1).default(0.5),
})

export function glm4(config: z.infer<typeof glm4Config>): Blueprint {
  return {
    ...llamaBlueprint(config, {
      mixer: attentionOf(config, { queryBias: config.attention_bias }),
      feedForward: joinedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size }),
    }),
    blockNorms: {
      beforeMixer: 'input_layernorm',
      afterMixer: 'post_self_attn_layernorm',
      beforeFeeding: 'post_attention_layernorm',
      afterFeeding: 'post_mlp_layernorm',
    },
    rotarySize: Math.floor(headSizeOf(config) * config.partial_rotary_factor),
  }
}
