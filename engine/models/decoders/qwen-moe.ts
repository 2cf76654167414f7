/** Qwen's and OLMo's mixtures of experts. transformers: models/{qwen2_moe,qwen3_moe,olmoe}. */
import * as z from 'zod'
import { attentionAnd, gatedAnd, gateUpDownExperts } from '../linears.ts'
import { expertCount, layerList, size } from '../schema.ts'
import { allHeadsNorms, attentionOf } from './attention.ts'
import { type Blueprint, type DecoderFields, decoderFields, either, llamaBlueprint, type Part } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { sparseFeedForward, withSharedExperts } from './experts.ts'
import { gatedFeedForward } from './feed-forward.ts'
import { qwen3Attention } from './qwen.ts'

export const qwenSparse = {
  num_experts: expertCount,
  num_experts_per_tok: expertCount,
  moe_intermediate_size: size,
  /** Every how many layers there are experts. */
  decoder_sparse_step: size.default(1),
  mlp_only_layers: layerList(z.number()).nullish(),
  use_sliding_window: z.boolean().default(false),
}

const qwen2MoeConfig = decoderFields.extend({
  model_type: z.literal('qwen2_moe'),
  ...qwenSparse,
  qkv_bias: z.boolean().default(true),
  shared_expert_intermediate_size: size,
})
export const qwen3MoeConfig = decoderFields.extend({
  model_type: z.literal('qwen3_moe'),
  ...qwenSparse,
  attention_bias: z.boolean().default(false),
})
const olmoeConfig = decoderFields.extend({
  model_type: z.literal('olmoe'),
  num_experts: expertCount.default(64),
  num_experts_per_tok: expertCount.default(8),
  attention_bias: z.boolean().default(false),
})

type QwenSparse = DecoderFields & z.infer<z.ZodObject<typeof qwenSparse>>

function qwen2Moe(config: z.infer<typeof qwen2MoeConfig>): Blueprint {
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: config.qkv_bias, slides: () => config.use_sliding_window }),
    feedForward: sharedAndSparse(config),
  })
}

/** Chosen experts and a shared one whose result is weighted, where the layer has any. */
export function sharedAndSparse(config: QwenSparse & { readonly shared_expert_intermediate_size: number }): Part {
  const inner = config.shared_expert_intermediate_size
  const shared = { name: 'shared_expert', inner, gateName: 'shared_expert_gate' }
  return whereSparse(config, withSharedExperts(expertsOf(config), config.hidden_size, shared))
}

export function qwen3Moe(config: Omit<z.infer<typeof qwen3MoeConfig>, 'model_type'>): Blueprint {
  return llamaBlueprint(config, {
    mixer: qwen3Attention(config),
    feedForward: whereSparse(config, expertsOf(config)),
  })
}

function olmoe(config: z.infer<typeof olmoeConfig>): Blueprint {
  const { num_experts: count, num_experts_per_tok: perToken, attention_bias: bias } = config
  const queryNorm = { norm: 'rms', ...allHeadsNorms } as const
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: bias, outputBias: bias, queryNorm }),
    feedForward: sparseFeedForward({
      router: { count, perToken, scoring: 'softmax' },
      experts: { count, inner: config.intermediate_size },
    }),
  })
}

function expertsOf(config: Pick<QwenSparse, 'num_experts' | 'num_experts_per_tok' | 'moe_intermediate_size'>): Part {
  const { num_experts: count, num_experts_per_tok: perToken, moe_intermediate_size: inner } = config
  return sparseFeedForward({ router: { count, perToken, scoring: 'softmax' }, experts: { count, inner } })
}

/** The layers between have one feed-forward of their own. */
function whereSparse(config: QwenSparse, sparse: Part): Part {
  const dense = gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size })
  const isSparse = (index: number) =>
    !config.mlp_only_layers?.includes(index) && (index + 1) % config.decoder_sparse_step === 0
  return either(isSparse, sparse, dense)
}

export const qwen2MoeFamily = decoder(qwen2MoeConfig, qwen2Moe, { linears: () => gatedAnd('shared_expert_gate') })
export const qwen3MoeFamily = decoder(qwen3MoeConfig, qwen3Moe, {
  linears: () => attentionAnd(),
  experts: gateUpDownExperts,
})
export const olmoeFamily = decoder(olmoeConfig, olmoe, { linears: () => attentionAnd(), experts: gateUpDownExperts })
