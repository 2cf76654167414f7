/** Mixtral: a mixture of experts in every layer. transformers: models/mixtral. */
import * as z from 'zod'
import { expertCount } from '../schema.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, llamaBlueprint } from './blueprint.ts'
import { sparseFeedForward } from './experts.ts'

export const mixtralConfig = decoderFields.extend({
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
