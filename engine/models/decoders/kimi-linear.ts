/**
 * Kimi Linear: Kimi Delta Attention, whose state each channel forgets at its own rate, between layers of latent attention without
 * positions; experts. transformers: models/kimi_linear.
 */
import * as z from 'zod'
import { layerList, size } from '../schema.ts'
import { type Blueprint, decoderFields, either, llamaBlueprint, type Part } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { sigmoidRouter, sparseAfterDense, sparseFields } from './deepseek.ts'
import { latentAttention, latentFields, latentLinears } from './latent-attention.ts'

const { n_routed_experts: expertCount, ...otherSparseFields } = sparseFields

const kimiLinearConfig = decoderFields.extend({
  model_type: z.literal('kimi_linear'),
  ...latentFields,
  ...otherSparseFields,
  num_local_experts: expertCount,
  layer_types: layerList(z.string()).nullish(),
  linear_head_dim: size.default(128),
  linear_num_heads: size.default(32),
  linear_conv_kernel_dim: size.default(4),
  /** Where the checkpoints say it; layers are counted from one. */
  linear_attn_config: z
    .object({
      full_attn_layers: layerList(z.number()),
      kda_layers: layerList(z.number()),
      head_dim: size,
      num_heads: size,
      short_conv_kernel_size: size,
      /** Kimi K3's text has the same `model_type` and other gates. */
      use_full_rank_gate: z.literal(false).nullish(),
    })
    .nullish(),
})
type KimiLinearConfig = z.infer<typeof kimiLinearConfig>

export function kimiLinear(config: KimiLinearConfig): Blueprint {
  const [linear, full] = [deltaAttention(config), latentAttention(config)]
  const sparse = { ...config, n_routed_experts: config.num_local_experts }
  return {
    ...llamaBlueprint(config, {
      mixer: either(index => isFull(config, index), full, linear),
      feedForward: sparseAfterDense(sparse, sigmoidRouter),
    }),
    rotaryOf: () => undefined,
  }
}

function isFull({ layer_types: types, linear_attn_config: nested }: KimiLinearConfig, index: number): boolean {
  if (types) return types[index] === 'full_attention'
  return nested ? nested.full_attn_layers.includes(index + 1) : index > 0 && index % 4 === 0
}

function deltaAttention(config: KimiLinearConfig): Part {
  const nested = config.linear_attn_config
  const headSize = nested?.head_dim ?? config.linear_head_dim
  const heads = nested?.num_heads ?? config.linear_num_heads
  const kernel = nested?.short_conv_kernel_size ?? config.linear_conv_kernel_dim
  const inner = heads * headSize
  return (ops, { name }, x) => {
    const linear = (part: string, states: typeof x, features: number) =>
      ops.linear(`${name}.${part}`, states, features, { bias: false })
    const joined = ops.concatenate(['q_proj', 'k_proj', 'v_proj'].map(part => linear(part, x, inner)))
    const convolved = ops.silu(ops.causalConvolution(`${name}.conv1d`, joined, { kernel }))
    const [query, key, value] = ops.split(convolved, [inner, inner, inner]) as [typeof x, typeof x, typeof x]
    const forget = linear('forget_gate.f_b_proj', linear('forget_gate.f_a_proj', x, headSize), inner)
    const decay = ops.channelDecay(`${name}.forget_gate`, forget, heads)
    const beta = ops.sigmoid(linear('b_proj', x, heads))
    const context = ops.kimiDelta([query, key, value], [decay, beta], heads)
    const gate = linear('g_b_proj', linear('g_a_proj', x, headSize), inner)
    return linear('o_proj', ops.gatedNorm(`${name}.o_norm`, context, gate, headSize), config.hidden_size)
  }
}

export const kimiLinearFamily = decoder(kimiLinearConfig, kimiLinear, {
  linears: config =>
    latentLinears(config, 'k_proj', 'v_proj', 'f_a_proj', 'f_b_proj', 'b_proj', 'g_a_proj', 'g_b_proj'),
  recurrence: () => 'kimi-delta',
  refusesFlash: true,
  ownNames: {
    max_position_embeddings: 'model_max_length',
    num_local_experts: 'num_experts',
    num_experts_per_tok: 'num_experts_per_token',
    n_shared_experts: 'num_shared_experts',
  },
})
