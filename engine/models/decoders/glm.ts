/**
 * GLM 4, dense: norms around each part, half of every head turned, gate and up joined. GLM 4.1 V and 4.6 V Flash see images too.
 * transformers: models/{glm4,glm4v,glm46v}.
 */
import * as z from 'zod'
import { attentionAnd, gatedAnd } from '../linears.ts'
import { glmVision, glmVisionConfig } from '../vision/glm-vision.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, headSizeOf, llamaBlueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { joinedFeedForward } from './feed-forward.ts'

const glm4Config = decoderFields.extend({
  model_type: z.literal('glm4'),
  attention_bias: z.boolean().default(true),
  partial_rotary_factor: z.number().min(0).max(1).default(0.5),
})

const glm4vConfig = z.object({
  model_type: z.literal(['glm4v', 'glm46v']),
  tie_word_embeddings: z.boolean().default(false),
  text_config: glm4Config.omit({ attention_bias: true }).extend({
    model_type: z.literal(['glm4v', 'glm4v_text']).default('glm4v_text'),
  }),
  vision_config: glmVisionConfig,
})

export function glm4(config: Omit<z.infer<typeof glm4Config>, 'model_type'>): Blueprint {
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

export function glm4v({ text_config: text, ...config }: z.infer<typeof glm4vConfig>): Blueprint {
  return {
    ...glm4({ ...text, attention_bias: true }),
    isTied: config.tie_word_embeddings,
    root: 'model.language_model',
    idle: ops => glmVision(ops, 'model.visual', config.vision_config),
  }
}

export const glm4Family = decoder(glm4Config, glm4, { linears: () => attentionAnd('gate_up_proj', 'down_proj') })
export const glm4vFamily = decoder(glm4vConfig, glm4v, { linears: () => gatedAnd('gate_up_proj', 'qkv', 'proj') })
