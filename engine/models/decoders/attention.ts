/** Attention with rotary positions and grouped keys and values, as decoders of transformers write it. */

import type { Builder } from '../../program/builder.ts'
import type { RotaryOptions } from '../../program/ops/mixers.ts'
import type { Value } from '../../program/value.ts'
import { type DecoderFields, differing, headSizeOf, type Norm, normalised, type Part } from './blueprint.ts'

export interface AttentionTraits {
  readonly queryBias?: boolean
  readonly outputBias?: boolean
  /** `o_proj` by default. */
  readonly outputName?: string
  readonly outputDropout?: number
  /** Norms of query and key: per head or over all heads, before or after the rotary positions. */
  readonly queryNorm?: QueryNorm
  /** One projection for q, k and v. */
  readonly joinsProjections?: boolean
  /** Whether layer `index` sees `sliding_window` tokens only. */
  readonly slides?: (index: number) => boolean
  /** A mask is passed to the kernel even if none is needed. */
  readonly isAlwaysMasked?: boolean
  /** Queries times a number that depends on the position. */
  readonly scalesQuery?: boolean
  /** Keys times a constant, before their positions. */
  readonly scalesKey?: boolean
  readonly rotary?: RotaryOptions
  /** Query and key of each head are normalised to unit length after the rotary positions. */
  readonly headLengths?: boolean
  /** The type of the eager softmax: float32 by default, the scores' own in Llama 4. */
  readonly softmaxType?: 'own'
  /** Eager scores are bounded by a tanh. */
  readonly capsScores?: boolean
  /** The result times the sigmoid of a second half of the query's projection. */
  readonly isGated?: boolean
  /** The result times the sigmoid of this projection's. */
  readonly gateName?: string
  /** A learned sink per head, which takes part in the softmax without a value. */
  readonly hasSinks?: boolean
}

export interface QueryNorm {
  readonly norm: Norm
  readonly over: 'each-head' | 'all-heads'
  readonly names: readonly [query: string, key: string]
  readonly isAfterRotation?: boolean
}

const unweighted = { scalesInFloat32: true, isUnweighted: true } as const

export const headNorms = { over: 'each-head', names: ['q_norm', 'k_norm'] } as const
export const allHeadsNorms = { over: 'all-heads', names: ['q_norm', 'k_norm'] } as const

export function attentionOf(fields: DecoderFields, traits: AttentionTraits = {}): Part {
  const heads = fields.num_attention_heads
  const keyValueHeads = fields.num_key_value_heads ?? heads
  const size = headSizeOf(fields)
  const attention: Part = (ops, { name, index, table }, x) => {
    const [projected, key, value] = projections(ops, fields, traits, name, x)
    const keyStates = traits.scalesKey ? ops.scale(key) : key
    const [query, gate] = gatedQuery(ops, traits, { name, x, projected, features: heads * size })
    const norm = (part: 0 | 1, states: Value) => {
      const { queryNorm } = traits
      if (queryNorm === undefined) return states
      const features = queryNorm.over === 'each-head' ? size : size * (part === 0 ? heads : keyValueHeads)
      return normalised(ops, queryNorm.norm, `${name}.${queryNorm.names[part]}`, features, states)
    }
    const turned = (states: Value, count: number) => {
      const rotated = table === undefined ? states : ops.rotary(states, table, count, traits.rotary)
      return traits.headLengths ? ops.rmsNorm(`${name}.qk_norm`, rotated, { size, ...unweighted }) : rotated
    }
    const placed = (part: 0 | 1, states: Value, count: number) =>
      traits.queryNorm?.isAfterRotation ? norm(part, turned(states, count)) : turned(norm(part, states), count)
    const q = placed(0, query, heads)
    const k = placed(1, keyStates, keyValueHeads)
    const window = (traits.slides?.(index) ?? false) ? (fields.sliding_window ?? undefined) : undefined
    const scaled = traits.scalesQuery ? ops.scale(q) : q
    const context = ops.attention(
      scaled,
      ops.cached(k, k, window),
      ops.cached(value, k, window),
      {
        heads,
        keyValueHeads,
        causal: true,
        dropout: fields.attention_dropout,
        window,
        capsScores: traits.capsScores ?? false,
        castsSoftmax: traits.softmaxType !== 'own',
        isAlwaysMasked: traits.isAlwaysMasked ?? false,
      },
      undefined,
      traits.hasSinks ? `${name}.sinks` : undefined,
    )
    const gated = gate === undefined ? context : ops.multiply(context, ops.sigmoid(gate))
    const { outputName = 'o_proj', outputBias: bias = false } = traits
    const output = ops.linear(`${name}.${outputName}`, gated, fields.hidden_size, { bias })
    return ops.dropout(output, traits.outputDropout ?? 0)
  }
  return traits.slides === undefined ? attention : differing(attention, traits.slides)
}

interface Projected {
  readonly name: string
  readonly x: Value
  readonly projected: Value
  /** Of all heads. */
  readonly features: number
}

function gatedQuery(
  ops: Builder,
  { isGated, gateName }: AttentionTraits,
  { name, x, projected, features }: Projected,
): [query: Value, gate: Value | undefined] {
  if (gateName !== undefined) return [projected, ops.linear(`${name}.${gateName}`, x, features, { bias: false })]
  if (!isGated) return [projected, undefined]
  const [query, gate] = ops.split(projected, [features, features]) as [Value, Value]
  return [query, ops.gathered(gate)]
}

function projections(
  ops: Builder,
  fields: DecoderFields,
  traits: AttentionTraits,
  name: string,
  x: Value,
): [Value, Value, Value] {
  const size = headSizeOf(fields)
  const querySize = fields.num_attention_heads * size
  const keySize = (fields.num_key_value_heads ?? fields.num_attention_heads) * size
  if (traits.joinsProjections) {
    const joined = ops.linear(`${name}.qkv_proj`, x, querySize + 2 * keySize, { bias: false })
    return ops.slices(joined, [querySize, keySize, keySize]) as [Value, Value, Value]
  }
  const project = (part: string, features: number) =>
    ops.linear(`${name}.${part}`, x, features, { bias: traits.queryBias ?? false })
  return [
    project('q_proj', traits.isGated ? 2 * querySize : querySize),
    project('k_proj', keySize),
    project('v_proj', keySize),
  ]
}
