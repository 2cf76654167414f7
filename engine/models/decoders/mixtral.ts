/** Mixtral: a mixture of experts in every layer. transformers: models/mixtral. */
import * as z from 'zod'
import { attentionAnd, w1w2w3Experts } from '../linears.ts'
import { expertCount } from '../schema.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, llamaBlueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { sparseFeedForward } from './experts.ts'

const mixtralConfig = decoderFields.extend({
  model_type: z.literal('mixtral'),
  num_local_experts: expertCount.default(8),
  num_experts_per_tok: expertCount.default(2),
})

export function mixtral(config: z.infer<typeof mixtralConfig>): Blueprint {
  const { num_local_experts: count, num_experts_per_tok: perToken } = config
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { slides: () => true }),
    feedForward: sparseFeedForward({
      router: { count, perToken, scoring: 'softmax', weightsInFloat32: true },
      experts: { count, inner: config.intermediate_size },
    }),
  })
}

export const mixtralFamily = decoder(mixtralConfig, mixtral, {
  linears: () => ({ ...attentionAnd(), usual: ['q_proj', 'v_proj'] }),
  experts: w1w2w3Experts,
})
