/**
 * Qwen 3.5: three layers of linear attention (Gated DeltaNet) to one of gated attention, dense or with experts; reads images too.
 * transformers: models/{qwen3_5,qwen3_5_moe}.
 */
import * as z from 'zod'
import { size } from '../schema.ts'
import { qwen3Vision, qwen3VisionConfig } from '../vision/towers.ts'
import { attentionOf, headNorms } from './attention.ts'
import {
  type Blueprint,
  type DecoderFields,
  decoderFields,
  headSizeOf,
  llamaBlueprint,
  type Part,
} from './blueprint.ts'
import { sparseFeedForward, withSharedExperts } from './experts.ts'
import { gatedFeedForward } from './feed-forward.ts'

const hybridFields = {
  attention_bias: z.boolean().default(false),
  head_dim: size.default(256),
  layer_types: z.array(z.string()).nullish(),
  linear_conv_kernel_dim: size.default(4),
  linear_key_head_dim: size.default(128),
  linear_value_head_dim: size.default(128),
  linear_num_key_heads: size.default(16),
  linear_num_value_heads: size.default(32),
  partial_rotary_factor: z.number().min(0).max(1).default(0.25),
}

const vision_config = qwen3VisionConfig.omit({ deepstack_visual_indexes: true })

export const qwen35Config = z.object({
  model_type: z.literal('qwen3_5'),
  tie_word_embeddings: z.boolean().default(false),
  text_config: decoderFields.extend(hybridFields),
  vision_config,
})
export const qwen35MoeConfig = z.object({
  model_type: z.literal('qwen3_5_moe'),
  tie_word_embeddings: z.boolean().default(false),
  text_config: decoderFields.omit({ intermediate_size: true }).extend({
    ...hybridFields,
    num_experts: size.default(256),
    num_experts_per_tok: size.default(8),
    moe_intermediate_size: size.default(512),
    shared_expert_intermediate_size: size.default(512),
  }),
  vision_config,
})

type Hybrid = Omit<DecoderFields, 'intermediate_size'> & z.infer<z.ZodObject<typeof hybridFields>>

export function qwen35(config: z.infer<typeof qwen35Config>): Blueprint {
  const { hidden_size: hidden, intermediate_size: inner } = config.text_config
  return hybrid(config, gatedFeedForward({ hidden, inner }))
}

export function qwen35Moe(config: z.infer<typeof qwen35MoeConfig>): Blueprint {
  const { num_experts: count, num_experts_per_tok: perToken, moe_intermediate_size: inner } = config.text_config
  const sparse = sparseFeedForward({ router: { count, perToken, scoring: 'softmax' }, experts: { count, inner } })
  const shared = {
    name: 'shared_expert',
    inner: config.text_config.shared_expert_intermediate_size,
    gateName: 'shared_expert_gate',
  }
  return hybrid(config, withSharedExperts(sparse, config.text_config.hidden_size, shared))
}

function hybrid(config: z.infer<typeof qwen35Config | typeof qwen35MoeConfig>, feedForward: Part): Blueprint {
  const text = { ...config.text_config, intermediate_size: 1 }
  const isLinear = (index: number) =>
    text.layer_types ? text.layer_types[index] === 'linear_attention' : (index + 1) % 4 !== 0
  const [linear, full] = [deltaNet(text), gatedAttention(text)]
  return {
    ...llamaBlueprint(text, {
      mixer: (ops, place, x) => (isLinear(place.index) ? linear : full)(ops, place, x),
      feedForward,
    }),
    root: 'model.language_model',
    isTied: config.tie_word_embeddings,
    norm: 'rms-one-plus',
    mixerName: index => (isLinear(index) ? 'linear_attn' : 'self_attn'),
    rotarySize: Math.floor(headSizeOf(text) * text.partial_rotary_factor),
    idle: ops => qwen3Vision(ops, 'model.visual', { ...config.vision_config, deepstack_visual_indexes: [] }),
  }
}

function gatedAttention(config: Hybrid & DecoderFields): Part {
  return attentionOf(config, {
    queryBias: config.attention_bias,
    outputBias: config.attention_bias,
    queryNorm: { norm: 'rms-one-plus', ...headNorms },
    isGated: true,
  })
}

function deltaNet(config: Hybrid): Part {
  const { linear_num_key_heads: keyHeads, linear_num_value_heads: heads } = config
  const [keySize, valueSize] = [config.linear_key_head_dim, config.linear_value_head_dim]
  const [keys, values] = [keyHeads * keySize, heads * valueSize]
  return (ops, { name }, x) => {
    const linear = (part: string, features: number) => ops.linear(`${name}.${part}`, x, features, { bias: false })
    const joined = linear('in_proj_qkv', 2 * keys + values)
    const z = linear('in_proj_z', values)
    const [b, a] = [linear('in_proj_b', heads), linear('in_proj_a', heads)]
    const mixed = ops.causalConvolution(`${name}.conv1d`, joined, config.linear_conv_kernel_dim)
    const [query, key, value] = ops.split(mixed, [keys, keys, values]) as [typeof x, typeof x, typeof x]
    const repeat = (states: typeof x) =>
      heads === keyHeads ? states : ops.repeatHeads(states, heads / keyHeads, keyHeads)
    const context = ops.gatedDeltaRule(name, [repeat(query), repeat(key), value], { a, b, heads })
    const normalised = ops.rmsNorm(`${name}.norm`, context, { size: valueSize, scalesInFloat32: false })
    return ops.linear(`${name}.out_proj`, ops.gatedInFloat32(normalised, z), config.hidden_size, { bias: false })
  }
}
