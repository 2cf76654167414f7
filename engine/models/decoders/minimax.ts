/** MiniMax M2: norms over all heads, part of each head turned, experts in every layer. transformers: models/minimax_m2. */
import * as z from 'zod'
import { attentionAnd, w1w2w3Experts } from '../linears.ts'
import { expertCount, probability, size } from '../schema.ts'
import { allHeadsNorms, attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, headSizeOf, llamaBlueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { sparseFeedForward } from './experts.ts'

const minimaxM2Config = decoderFields.extend({
  model_type: z.literal('minimax_m2'),
  head_dim: size.default(128),
  num_local_experts: expertCount.default(256),
  num_experts_per_tok: expertCount.default(8),
  /** The checkpoints' way to say `partial_rotary_factor`. */
  rotary_dim: size.nullish(),
  partial_rotary_factor: probability.default(1),
})

export function minimaxM2(config: z.infer<typeof minimaxM2Config>): Blueprint {
  const { num_local_experts: count, num_experts_per_tok: perToken } = config
  const blueprint = llamaBlueprint(config, {
    mixer: attentionOf(config, { queryNorm: { norm: 'rms', ...allHeadsNorms } }),
    feedForward: sparseFeedForward({
      router: { count, perToken, scoring: 'sigmoid', weightsInFloat32: true },
      experts: { count, inner: config.intermediate_size },
    }),
  })
  return { ...blueprint, rotarySize: config.rotary_dim ?? headSizeOf(config) * config.partial_rotary_factor }
}

export const minimaxM2Family = decoder(minimaxM2Config, minimaxM2, {
  linears: () => attentionAnd(),
  experts: w1w2w3Experts,
})
