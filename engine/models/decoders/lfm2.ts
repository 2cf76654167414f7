/** LFM2: gated short convolutions between layers of attention, dense or with experts. transformers: models/{lfm2,lfm2_moe}. */
import * as z from 'zod'
import { expertCount, layerList, size, someLayers } from '../schema.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, type DecoderFields, decoderFields, either, llamaBlueprint, type Part } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { sparseFeedForward } from './experts.ts'
import { gatedFeedForward } from './feed-forward.ts'

const convolutionFields = {
  tie_word_embeddings: z.boolean().default(true),
  /** The name that the checkpoints give `tie_word_embeddings`. */
  tie_embedding: z.boolean().nullish(),
  conv_bias: z.boolean().default(false),
  conv_L_cache: size.default(3),
  layer_types: layerList(z.string()).nullish(),
}

export const lfm2Config = decoderFields.extend({
  model_type: z.literal('lfm2'),
  ...convolutionFields,
  intermediate_size: size.default(12_288),
  /** The name that the checkpoints give `intermediate_size`. */
  block_ff_dim: size.nullish(),
  block_auto_adjust_ff_dim: z.boolean().default(true),
  block_ffn_dim_multiplier: z.number().min(0.01).max(100).nullish().default(1),
  block_multiple_of: size.default(256),
  /** Layers of attention, where `layer_types` does not say. */
  full_attn_idxs: layerList(z.number()).nullish(),
})
const lfm2MoeConfig = decoderFields.extend({
  model_type: z.literal('lfm2_moe'),
  ...convolutionFields,
  num_experts: expertCount.default(32),
  num_experts_per_tok: expertCount.default(4),
  moe_intermediate_size: size.default(1_792),
  /** Layers at the start that have one feed-forward of their own. */
  num_dense_layers: someLayers.default(2),
})

type Lfm2 = Omit<z.infer<typeof lfm2Config>, 'model_type'>
type Convolutional = DecoderFields & z.infer<z.ZodObject<typeof convolutionFields>>

const linears = ['w1', 'w3', 'w2'] as const

export function lfm2(config: Lfm2): Blueprint {
  const { layer_types: types, full_attn_idxs: listed } = config
  const attends = (index: number) => (types ? types[index] === 'full_attention' : (listed?.includes(index) ?? true))
  const feedForward = gatedFeedForward({ hidden: config.hidden_size, inner: innerSize(config) }, linears)
  return convolutional(config, attends, feedForward)
}

function lfm2Moe(config: z.infer<typeof lfm2MoeConfig>): Blueprint {
  const { num_experts: count, num_experts_per_tok: perToken, moe_intermediate_size: inner } = config
  const dense = gatedFeedForward({ hidden: config.hidden_size, inner: config.intermediate_size }, linears)
  const sparse = sparseFeedForward({ router: { count, perToken, scoring: 'sigmoid' }, experts: { count, inner } })
  return convolutional(
    config,
    index => config.layer_types?.[index] === 'full_attention',
    either(index => index < config.num_dense_layers, dense, sparse),
  )
}

function convolutional(config: Convolutional, attends: (index: number) => boolean, feedForward: Part): Blueprint {
  const attention = attentionOf(config, {
    queryNorm: { norm: 'rms', over: 'each-head', names: ['q_layernorm', 'k_layernorm'] },
    outputName: 'out_proj',
  })
  const convolution = shortConvolution(config)
  return {
    ...llamaBlueprint(config, {
      mixer: either(attends, attention, convolution),
      feedForward,
    }),
    isTied: config.tie_embedding ?? config.tie_word_embeddings,
    blockNorms: { beforeMixer: 'operator_norm', beforeFeeding: 'ffn_norm' },
    mixerName: index => (attends(index) ? 'self_attn' : 'conv'),
    feedForwardName: 'feed_forward',
    lastNormName: 'embedding_norm',
  }
}

/** Lfm2ShortConv: C * conv(B * x). */
function shortConvolution(config: Convolutional): Part {
  const { hidden_size: hidden, conv_bias: bias, conv_L_cache: kernel } = config
  return (ops, { name }, x) => {
    const joined = ops.linear(`${name}.in_proj`, x, 3 * hidden, { bias })
    const [before, after, states] = ops.split(joined, [hidden, hidden, hidden]) as [typeof x, typeof x, typeof x]
    const convolved = ops.causalConvolution(`${name}.conv`, ops.multiply(before, states), { kernel, bias })
    return ops.linear(`${name}.out_proj`, ops.multiply(after, convolved), hidden, { bias })
  }
}

/** Lfm2MLP: two thirds of the size that the config names, times a factor, up to a multiple. */
function innerSize(config: Lfm2): number {
  const named = config.block_ff_dim ?? config.intermediate_size
  if (!config.block_auto_adjust_ff_dim) return named
  const adjusted = Math.floor((2 * named) / 3)
  if (config.block_ffn_dim_multiplier == null) return adjusted
  const multiplied = Math.floor(config.block_ffn_dim_multiplier * adjusted)
  return config.block_multiple_of * Math.ceil(multiplied / config.block_multiple_of)
}

export const lfm2Linears = ['q_proj', 'k_proj', 'v_proj', 'out_proj', 'in_proj', 'w1', 'w2', 'w3'] as const

export const lfm2Family = decoder(lfm2Config, lfm2, { linears: () => ({ all: lfm2Linears }) })
export const lfm2MoeFamily = decoder(lfm2MoeConfig, lfm2Moe, { linears: () => ({ all: lfm2Linears }) })
