/** Hunyuan, dense: query and key are normalised after their positions. transformers: models/hunyuan_v1_dense. */
import * as z from 'zod'
import { gatedAnd } from '../linears.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, llamaBlueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { gatedFeedForward } from './feed-forward.ts'

const hunyuanConfig = decoderFields.extend({
  model_type: z.literal('hunyuan_v1_dense'),
  attention_bias: z.boolean().default(false),
})

export function hunyuan(config: z.infer<typeof hunyuanConfig>): Blueprint {
  const names = ['query_layernorm', 'key_layernorm'] as const
  return llamaBlueprint(config, {
    mixer: attentionOf(config, {
      queryBias: config.attention_bias,
      outputBias: config.attention_bias,
      queryNorm: { norm: 'rms', over: 'each-head', names, isAfterRotation: true },
    }),
    feedForward: gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size }),
  })
}

export const hunyuanFamily = decoder(hunyuanConfig, hunyuan, { linears: () => gatedAnd() })
