/**
 * Decoders of Qwen that mix Gated DeltaNet, a linear attention, with gated attention: three layers of it to one. transformers:
 * models/{qwen3_next,qwen3_5,qwen3_5_moe}.
 */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { layerList, size } from '../schema.ts'
import { attentionOf, headNorms } from './attention.ts'
import { type Blueprint, type DecoderFields, either, headSizeOf, llamaBlueprint, type Part } from './blueprint.ts'

export const hybridFields = {
  attention_bias: z.boolean().default(false),
  head_dim: size.default(256),
  layer_types: layerList(z.string()).nullish(),
  linear_conv_kernel_dim: size.default(4),
  linear_key_head_dim: size.default(128),
  linear_value_head_dim: size.default(128),
  linear_num_key_heads: size.default(16),
  linear_num_value_heads: size.default(32),
  partial_rotary_factor: z.number().min(0).max(1).default(0.25),
}

export type HybridFields = DecoderFields & z.infer<z.ZodObject<typeof hybridFields>>

/** What a layer of linear attention reads: keys, queries and values as one tensor, the gate, and how much to forget and to write. */
export interface DeltaInputs {
  readonly joined: Value
  readonly gate: Value
  readonly a: Value
  readonly b: Value
}

export interface DeltaSizes {
  readonly keys: number
  readonly values: number
  readonly heads: number
}

export type DeltaProjection = (ops: Builder, name: string, x: Value, sizes: DeltaSizes) => DeltaInputs

export function hybridBlueprint(text: HybridFields, feedForward: Part, projection: DeltaProjection): Blueprint {
  const isLinear = (index: number) =>
    text.layer_types ? text.layer_types[index] === 'linear_attention' : (index + 1) % 4 !== 0
  const [linear, full] = [deltaNet(text, projection), gatedAttention(text)]
  return {
    ...llamaBlueprint(text, {
      mixer: either(isLinear, linear, full),
      feedForward,
    }),
    norm: 'rms-one-plus',
    mixerName: index => (isLinear(index) ? 'linear_attn' : 'self_attn'),
    rotarySize: Math.floor(headSizeOf(text) * text.partial_rotary_factor),
  }
}

function gatedAttention(config: HybridFields): Part {
  return attentionOf(config, {
    queryBias: config.attention_bias,
    outputBias: config.attention_bias,
    queryNorm: { norm: 'rms-one-plus', ...headNorms },
    isGated: true,
  })
}

function deltaNet(config: HybridFields, projection: DeltaProjection): Part {
  const { linear_num_key_heads: keyHeads, linear_num_value_heads: heads } = config
  const [keySize, valueSize] = [config.linear_key_head_dim, config.linear_value_head_dim]
  const [keys, values] = [keyHeads * keySize, heads * valueSize]
  return (ops, { name }, x) => {
    const { joined, gate, a, b } = projection(ops, name, x, { keys, values, heads })
    const convolved = ops.causalConvolution(`${name}.conv1d`, joined, { kernel: config.linear_conv_kernel_dim })
    const [query, key, value] = ops.split(ops.silu(convolved), [keys, keys, values]) as [Value, Value, Value]
    const repeat = (states: Value) =>
      heads === keyHeads ? states : ops.repeatHeads(states, heads / keyHeads, keyHeads)
    const context = ops.gatedDeltaRule(name, [repeat(query), repeat(key), value], [a, b], heads)
    const normalised = ops.rmsNorm(`${name}.norm`, context, { size: valueSize, scalesInFloat32: false })
    return ops.linear(`${name}.out_proj`, ops.gatedInFloat32(normalised, gate), config.hidden_size, { bias: false })
  }
}

/** The linear layers of a gated delta net, where its projections are not joined. */
export const deltaNetLinears = ['in_proj_qkv', 'in_proj_z', 'in_proj_b', 'in_proj_a', 'out_proj'] as const
