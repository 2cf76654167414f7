/** Qwen 3 Next: linear and gated attention before many small experts. transformers: models/qwen3_next. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { gatedAnd, gateUpDownExperts } from '../linears.ts'
import { size } from '../schema.ts'
import { type Blueprint, decoderFields } from './blueprint.ts'
import { decoder } from './decoder.ts'
import { type DeltaInputs, type DeltaSizes, hybridBlueprint, hybridFields } from './delta-net.ts'
import { qwenSparse, sharedAndSparse } from './qwen-moe.ts'

const qwen3NextConfig = decoderFields.extend({
  model_type: z.literal('qwen3_next'),
  ...hybridFields,
  ...qwenSparse,
  shared_expert_intermediate_size: size.default(512),
})

export function qwen3Next(config: z.infer<typeof qwen3NextConfig>): Blueprint {
  return hybridBlueprint(config, sharedAndSparse(config), joinedProjections)
}

/** Grouped by key head, so that each part is gathered from all of them. */
function joinedProjections(ops: Builder, name: string, x: Value, { keys, values, heads }: DeltaSizes): DeltaInputs {
  const parts = (part: string, sizes: readonly number[]) => {
    const features = sizes.reduce((sum, size) => sum + size, 0)
    const joined = ops.linear(`${name}.${part}`, x, features, { bias: false })
    return ops.split(joined, sizes).map(states => ops.gathered(states))
  }
  const [query, key, value, gate] = parts('in_proj_qkvz', [keys, keys, values, values]) as [Value, Value, Value, Value]
  const [b, a] = parts('in_proj_ba', [heads, heads]) as [Value, Value]
  return { joined: ops.concatenate([query, key, value]), gate, a, b }
}

export const qwen3NextFamily = decoder(qwen3NextConfig, qwen3Next, {
  linears: () => gatedAnd('shared_expert_gate', 'in_proj_qkvz', 'in_proj_ba', 'out_proj'),
  experts: gateUpDownExperts,
  recurrence: () => 'gated-delta',
})
