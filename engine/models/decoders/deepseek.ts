/**
 * DeepSeek V2 and V3 and the mixtures of experts of GLM and Mistral, which differ in their attention. transformers:
 * models/{deepseek_v2,deepseek_v3,deepseek_v32,glm4_moe,glm4_moe_lite,glm_moe_dsa,mistral4}.
 */
import * as z from 'zod'
import type { RouterOptions } from '../../program/ops/linears.ts'
import { gatedAnd, gateUpDownExperts } from '../linears.ts'
import { expertCount, size, someLayers } from '../schema.ts'
import { attentionOf, headNorms } from './attention.ts'
import {
  type Blueprint,
  type DecoderFields,
  decoderFields,
  either,
  headSizeOf,
  llamaBlueprint,
  type Part,
} from './blueprint.ts'
import { decoder } from './decoder.ts'
import { sparseFeedForward, withSharedExperts } from './experts.ts'
import { gatedFeedForward } from './feed-forward.ts'
import { latentAttention, latentFields, latentLinears } from './latent-attention.ts'

export const sparseFields = {
  n_routed_experts: expertCount,
  n_shared_experts: expertCount.default(1),
  num_experts_per_tok: expertCount,
  moe_intermediate_size: size,
  /** Layers at the start that have one feed-forward of their own. */
  first_k_dense_replace: someLayers.default(1),
}

const deepseekV2Config = decoderFields.extend({
  model_type: z.literal('deepseek_v2'),
  ...latentFields,
  ...sparseFields,
})
const deepseekV3Config = decoderFields.extend({
  model_type: z.literal('deepseek_v3'),
  ...latentFields,
  ...sparseFields,
})
const deepseekV32Config = decoderFields.extend({
  model_type: z.literal('deepseek_v32'),
  ...latentFields,
  ...sparseFields,
  q_lora_rank: size.default(1_536),
  first_k_dense_replace: sparseFields.first_k_dense_replace.default(3),
  index_n_heads: size.default(64),
  index_head_dim: size.default(128),
})
const glmMoeDsaConfig = deepseekV32Config.extend({
  model_type: z.literal('glm_moe_dsa'),
  q_lora_rank: size.default(2_048),
  index_n_heads: size.default(32),
  /** `shared` layers see the keys that the last `full` one chose. */
  indexer_types: z
    .array(z.enum(['full', 'shared']))
    .max(1_000)
    .nullish(),
  index_topk_pattern: z
    .string()
    .regex(/^[FS]*$/)
    .max(1_000)
    .nullish(),
  index_topk_freq: z.number().int().min(0).max(1_000).default(1),
  index_skip_topk_offset: z.number().int().min(0).max(1_000).default(2),
})
const glm4MoeLiteConfig = decoderFields.extend({
  model_type: z.literal('glm4_moe_lite'),
  ...latentFields,
  ...sparseFields,
})
export const mistral4Config = decoderFields.extend({
  model_type: z.literal('mistral4'),
  ...latentFields,
  ...sparseFields,
  first_k_dense_replace: sparseFields.first_k_dense_replace.default(0),
})
const glm4MoeConfig = decoderFields.extend({
  model_type: z.literal('glm4_moe'),
  ...sparseFields,
  attention_bias: z.boolean().default(false),
  use_qk_norm: z.boolean().default(false),
  partial_rotary_factor: z.number().min(0).max(1).default(0.5),
})

type Sparse = DecoderFields & z.infer<z.ZodObject<typeof sparseFields>>
type Latent = z.infer<typeof deepseekV2Config | typeof deepseekV3Config | typeof glm4MoeLiteConfig>

export function deepseek(config: Latent): Blueprint {
  const isV2 = config.model_type === 'deepseek_v2'
  // V2 turns positions as complex numbers, in float32.
  const mixer = latentAttention(config, { rotary: { inFloat32: isV2 } })
  return {
    ...llamaBlueprint(config, { mixer, feedForward: sparseAfterDense(config, isV2 ? softmaxRouter : sigmoidRouter) }),
    rotarySize: config.qk_rope_head_dim,
  }
}

/** As V3, over the keys that an indexer chooses. */
function deepseekV32(config: z.infer<typeof deepseekV32Config | typeof glmMoeDsaConfig>): Blueprint {
  const shape = { heads: config.index_n_heads, size: config.index_head_dim, queryRank: config.q_lora_rank }
  const isIn = config.model_type === 'glm_moe_dsa' ? indexedLayers(config) : () => true
  const mixer = latentAttention(config, { indexer: { shape, isIn } })
  return {
    ...llamaBlueprint(config, { mixer, feedForward: sparseAfterDense(config, sigmoidRouter) }),
    rotarySize: config.qk_rope_head_dim,
  }
}

/** transformers GlmMoeDsaConfig: a list, a word, or every so many layers from one on. */
function indexedLayers(config: z.infer<typeof glmMoeDsaConfig>): (layer: number) => boolean {
  const { indexer_types: types, index_topk_pattern: pattern, index_skip_topk_offset: offset } = config
  const every = Math.max(config.index_topk_freq, 1)
  if (types) return layer => types[layer] === 'full'
  if (pattern) return layer => pattern[layer] === 'F'
  return layer => Math.max(layer - offset + 1, 0) % every === 0
}

/** Queries are scaled by Llama 4's factor of their position. */
export function mistral4(config: z.infer<typeof mistral4Config>): Blueprint {
  const mixer = latentAttention(config, { scalesQuery: true })
  return {
    ...llamaBlueprint(config, { mixer, feedForward: sparseAfterDense(config, { scoring: 'softmax' }) }),
    rotarySize: config.qk_rope_head_dim,
  }
}

function glm4Moe(config: z.infer<typeof glm4MoeConfig>): Blueprint {
  const mixer = attentionOf(config, {
    queryBias: config.attention_bias,
    ...(config.use_qk_norm && { queryNorm: { norm: 'rms', ...headNorms } }),
  })
  return {
    ...llamaBlueprint(config, { mixer, feedForward: sparseAfterDense(config, sigmoidRouter) }),
    rotarySize: Math.floor(headSizeOf(config) * config.partial_rotary_factor),
  }
}

type Routing = Omit<RouterOptions, 'count' | 'perToken'>

export const sigmoidRouter: Routing = { scoring: 'sigmoid', inFloat32: true, weightsInFloat32: true }
const softmaxRouter: Routing = { ...sigmoidRouter, scoring: 'softmax' }

export function sparseAfterDense(config: Sparse, routing: Routing): Part {
  const { n_routed_experts: count, num_experts_per_tok: perToken, moe_intermediate_size: inner } = config
  const dense = gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size })
  const router = { count, perToken, ...routing }
  const shared = { name: 'shared_experts', inner: inner * config.n_shared_experts }
  const sparse = withSharedExperts(sparseFeedForward({ router, experts: { count, inner } }), config.hidden_size, shared)
  return either(index => index < config.first_k_dense_replace, dense, sparse)
}

export const deepseekV2Family = decoder(deepseekV2Config, deepseek, {
  experts: gateUpDownExperts,
  linears: config => latentLinears(config),
})
export const deepseekV3Family = decoder(deepseekV3Config, deepseek, {
  experts: gateUpDownExperts,
  linears: config => latentLinears(config),
})
export const deepseekV32Family = decoder(deepseekV32Config, deepseekV32, {
  experts: gateUpDownExperts,
  linears: config => latentLinears(config, 'wq_b', 'wk', 'weights_proj'),
  refusesFlash: true,
})
export const glmMoeDsaFamily = decoder(glmMoeDsaConfig, deepseekV32, {
  experts: gateUpDownExperts,
  linears: config => latentLinears(config, 'wq_b', 'wk', 'weights_proj'),
  refusesFlash: true,
})
export const glm4MoeLiteFamily = decoder(glm4MoeLiteConfig, deepseek, {
  experts: gateUpDownExperts,
  linears: config => latentLinears(config),
})
export const glm4MoeFamily = decoder(glm4MoeConfig, glm4Moe, { linears: () => gatedAnd(), experts: gateUpDownExperts })
export const mistral4Family = decoder(mistral4Config, mistral4, { linears: config => latentLinears(config) })
