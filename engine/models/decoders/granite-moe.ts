/** Granite's mixtures of experts, with or without one for every token. transformers: models/{granitemoe,granitemoeshared}. */
import * as z from 'zod'
import { attentionAnd } from '../linears.ts'
import { expertCount } from '../schema.ts'
import { type Blueprint, decoderFields } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { graniteMixture } from './granite-hybrid.ts'
import { granite } from './llama.ts'

const graniteSparse = {
  attention_bias: z.boolean().default(false),
  num_local_experts: expertCount.default(8),
  num_experts_per_tok: expertCount.default(2),
}

const graniteMoeConfig = decoderFields.extend({ model_type: z.literal('granitemoe'), ...graniteSparse })
const graniteMoeSharedConfig = decoderFields.extend({
  model_type: z.literal('granitemoeshared'),
  ...graniteSparse,
  /** None where it is zero. */
  shared_intermediate_size: z.number().int().min(0).max(10_000_000).default(0),
})

export function graniteMoe(config: z.infer<typeof graniteMoeConfig | typeof graniteMoeSharedConfig>): Blueprint {
  return {
    ...granite({ ...config, model_type: 'granite', mlp_bias: false }),
    feedForward: graniteMixture({ shared_intermediate_size: 0, ...config }),
    feedForwardName: 'shared_mlp',
  }
}

export const graniteMoeFamily = decoder(graniteMoeConfig, graniteMoe, { linears: () => attentionAnd() })
export const graniteMoeSharedFamily = decoder(graniteMoeSharedConfig, graniteMoe, {
  linears: () => attentionAnd('input_linear', 'output_linear'),
})
