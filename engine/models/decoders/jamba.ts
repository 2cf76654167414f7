/** Jamba: seven layers of Mamba to one of attention, experts in every second. transformers: models/jamba. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { gatedAnd } from '../linears.ts'
import { expertCount, size } from '../schema.ts'
import { attentionOf } from './attention.ts'
import { type Blueprint, decoderFields, either, llamaBlueprint, type Part } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { sparseFeedForward } from './experts.ts'
import { gatedFeedForward } from './feed-forward.ts'

const offset = z.number().int().min(0).max(1_000)

const jambaConfig = decoderFields.extend({
  model_type: z.literal('jamba'),
  num_experts: expertCount.default(16),
  num_experts_per_tok: expertCount.default(2),
  expert_layer_period: size.default(2),
  expert_layer_offset: offset.default(1),
  attn_layer_period: size.default(8),
  attn_layer_offset: offset.default(4),
  mamba_d_state: size.default(16),
  mamba_d_conv: size.default(4),
  mamba_expand: size.default(2),
  mamba_dt_rank: z.union([size, z.literal('auto')]).default('auto'),
  mamba_conv_bias: z.boolean().default(true),
  mamba_proj_bias: z.boolean().default(false),
})
type Jamba = z.infer<typeof jambaConfig>

export function jamba(config: Jamba): Blueprint {
  const attends = (index: number) => index % config.attn_layer_period === config.attn_layer_offset
  const [attention, mamba] = [attentionOf(config), mambaOf(config)]
  return {
    ...llamaBlueprint(config, {
      mixer: either(attends, attention, mamba),
      feedForward: feedForward(config),
    }),
    blockNorms: { beforeMixer: 'input_layernorm', beforeFeeding: 'pre_ff_layernorm' },
    mixerName: index => (attends(index) ? 'self_attn' : 'mamba'),
    feedForwardName: 'feed_forward',
    lastNormName: 'final_layernorm',
    rotaryOf: () => undefined,
  }
}

const HIDDEN_PER_RANK = 16

function mambaOf(config: Jamba): Part {
  const { hidden_size: hidden, mamba_d_state: stateSize, mamba_proj_bias: bias } = config
  const inner = config.mamba_expand * hidden
  const rank = config.mamba_dt_rank === 'auto' ? Math.ceil(hidden / HIDDEN_PER_RANK) : config.mamba_dt_rank
  return (ops: Builder, { name }: { readonly name: string }, x: Value) => {
    const norm = (part: string, states: Value, features: number) =>
      ops.rmsNorm(`${name}.${part}`, states, { size: features, scalesInFloat32: false })
    const projected = ops.linear(`${name}.in_proj`, x, 2 * inner, { bias })
    const [states, gate] = ops.split(projected, [inner, inner]) as [Value, Value]
    const convolved = ops.fusedConvolution(`${name}.conv1d`, states, config.mamba_d_conv, {
      bias: config.mamba_conv_bias,
    })
    const selected = ops.linear(`${name}.x_proj`, convolved, rank + 2 * stateSize, { bias: false })
    const [steps, input, output] = ops.split(selected, [rank, stateSize, stateSize]) as [Value, Value, Value]
    const widened = ops.linear(`${name}.dt_proj`, norm('dt_layernorm', steps, rank), inner, { bias: false })
    const read = norm('b_layernorm', input, stateSize)
    const written = norm('c_layernorm', output, stateSize)
    const scanned = ops.selectiveScan(name, [convolved, widened, read, written, gate])
    return ops.linear(`${name}.out_proj`, scanned, hidden, { bias })
  }
}

function feedForward(config: Jamba): Part {
  const { hidden_size: hidden, intermediate_size: inner, num_experts: count, num_experts_per_tok: perToken } = config
  const dense = gatedFeedForward({ hidden, inner })
  const sparse = sparseFeedForward({
    routerName: 'router',
    router: { count, perToken, scoring: 'softmax' },
    experts: { count, inner },
  })
  const isSparse = (index: number) => count > 1 && index % config.expert_layer_period === config.expert_layer_offset
  return either(isSparse, sparse, dense)
}

export const jambaFamily = decoder(jambaConfig, jamba, {
  linears: () => gatedAnd('in_proj', 'x_proj', 'dt_proj', 'out_proj'),
  recurrence: () => 'mamba',
})
