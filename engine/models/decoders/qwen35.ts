/** Qwen 3.5: linear and gated attention, dense or with experts; reads images too. transformers: models/{qwen3_5,qwen3_5_moe}. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { gatedAnd } from '../linears.ts'
import { expertCount, size } from '../schema.ts'
import { qwen3Vision } from '../vision/qwen3-vision.ts'
import { qwen3VisionConfig } from '../vision/towers.ts'
import { type Blueprint, decoderFields, type Part } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { type DeltaInputs, type DeltaSizes, deltaNetLinears, hybridBlueprint, hybridFields } from './delta-net.ts'
import { sparseFeedForward, withSharedExperts } from './experts.ts'
import { gatedFeedForward } from './feed-forward.ts'

const vision_config = qwen3VisionConfig.omit({ deepstack_visual_indexes: true })

const qwen35Config = z.object({
  model_type: z.literal('qwen3_5'),
  tie_word_embeddings: z.boolean().default(false),
  text_config: decoderFields.extend(hybridFields),
  vision_config,
})
const qwen35MoeConfig = z.object({
  model_type: z.literal('qwen3_5_moe'),
  tie_word_embeddings: z.boolean().default(false),
  text_config: decoderFields.omit({ intermediate_size: true }).extend({
    ...hybridFields,
    num_experts: expertCount.default(256),
    num_experts_per_tok: expertCount.default(8),
    moe_intermediate_size: size.default(512),
    shared_expert_intermediate_size: size.default(512),
  }),
  vision_config,
})

export function qwen35(config: z.infer<typeof qwen35Config>): Blueprint {
  const { hidden_size: hidden, intermediate_size: inner } = config.text_config
  return hybrid(config, gatedFeedForward({ hidden, inner }))
}

function qwen35Moe(config: z.infer<typeof qwen35MoeConfig>): Blueprint {
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
  return {
    ...hybridBlueprint(text, feedForward, separateProjections),
    root: 'model.language_model',
    isTied: config.tie_word_embeddings,
    vision: (ops, images) =>
      qwen3Vision(ops, 'model.visual', { ...config.vision_config, deepstack_visual_indexes: [] }, images),
  }
}

function separateProjections(ops: Builder, name: string, x: Value, { keys, values, heads }: DeltaSizes): DeltaInputs {
  const linear = (part: string, features: number) => ops.linear(`${name}.${part}`, x, features, { bias: false })
  const joined = linear('in_proj_qkv', 2 * keys + values)
  const gate = linear('in_proj_z', values)
  const [b, a] = [linear('in_proj_b', heads), linear('in_proj_a', heads)]
  return { joined, gate, a, b }
}

export const qwen35Family = decoder(qwen35Config, qwen35, {
  linears: () => gatedAnd(...deltaNetLinears, 'qkv', 'proj', 'linear_fc1', 'linear_fc2'),
  recurrence: () => 'gated-delta',
})
export const qwen35MoeFamily = decoder(qwen35MoeConfig, qwen35Moe, {
  linears: () => gatedAnd(...deltaNetLinears, 'shared_expert_gate', 'qkv', 'proj', 'linear_fc1', 'linear_fc2'),
  recurrence: () => 'gated-delta',
})
