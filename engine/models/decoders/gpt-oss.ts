/** gpt-oss: attention with a learned sink a head, experts with biases and clamped gates. transformers: models/gpt_oss. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { attentionAnd } from '../linears.ts'
import { expertCount, layerList, size } from '../schema.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, llamaBlueprint } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { sparseFeedForward } from './experts.ts'

const gptOssConfig = decoderFields.extend({
  model_type: z.literal('gpt_oss'),
  num_local_experts: expertCount.default(128),
  num_experts_per_tok: expertCount.default(4),
  attention_bias: z.boolean().default(true),
  sliding_window: size.nullish().default(128),
  layer_types: layerList(z.string()).nullish(),
})

export function gptOss(config: z.infer<typeof gptOssConfig>): Blueprint {
  const { num_local_experts: count, num_experts_per_tok: perToken, layer_types: types } = config
  const bias = config.attention_bias
  const slides = (index: number) => (types ? types[index] === 'sliding_attention' : index % 2 === 0)
  return llamaBlueprint(config, {
    mixer: attentionOf(config, { queryBias: bias, outputBias: bias, hasSinks: true, slides }),
    feedForward: sparseFeedForward({
      router: { count, perToken, scoring: 'softmax', hasBias: true, scoresChosenOnly: true },
      experts: { count, inner: config.intermediate_size, hasBias: true },
      routerName: 'router',
      gate: clampedGate,
    }),
  })
}

/** GptOssExperts._apply_gate: (up + 1) * gate * sigmoid(gate * alpha), both clamped, of every other column. */
function clampedGate(ops: Builder, joined: Value, inner: number): Value {
  const [gate, up] = ops.slices(joined, [inner, inner]).map(part => ops.clamp(part)) as [Value, Value]
  const glu = ops.multiply(gate, ops.sigmoid(ops.scale(gate)))
  return ops.multiply(ops.scale(up), glu)
}

export const gptOssFamily = decoder(gptOssConfig, gptOss, {
  linears: () => attentionAnd(),
  fusedExpertsBefore5: true,
  hasAttentionSinks: true,
})
