/** DeepSeek's multi-head latent attention: keys and values from a narrow shared projection. transformers: models/deepseek_v3. */
import * as z from 'zod'
import type { IndexerShape, RotaryOptions } from '../../program/ops/mixers.ts'
import type { Linears } from '../linears.ts'
import { size } from '../schema.ts'
import { type DecoderFields, differing, normalised, type Part } from './blueprint.ts'

export const latentFields = {
  q_lora_rank: size.nullish(),
  kv_lora_rank: size,
  qk_nope_head_dim: size,
  qk_rope_head_dim: size,
  v_head_dim: size,
  attention_bias: z.boolean().default(false),
}

type LatentFields = DecoderFields & z.infer<z.ZodObject<typeof latentFields>>

export interface LatentTraits {
  /** Chooses the keys that each query sees: in the layers where `isIn`, whose choice holds until the next. */
  readonly indexer?: { readonly shape: IndexerShape; isIn(layer: number): boolean }
  readonly rotary?: RotaryOptions
  /** Queries times a number that depends on the position. */
  readonly scalesQuery?: boolean
}

export function latentAttention(
  config: LatentFields,
  { rotary = {}, scalesQuery = false, indexer }: LatentTraits = {},
): Part {
  const { num_attention_heads: heads, kv_lora_rank: rank, attention_bias: bias } = config
  const { qk_nope_head_dim: resting, qk_rope_head_dim: turning, v_head_dim: valueSize } = config
  const attention: Part = (ops, { name, table, index }, x) => {
    const linear = (part: string, states: typeof x, features: number, options = { bias: false }) =>
      ops.linear(`${name}.${part}`, states, features, options)
    const norm = (part: string, features: number, states: typeof x) =>
      normalised(ops, 'rms', `${name}.${part}`, features, states)
    const queryOf = (narrowRank: number) => {
      const narrow = norm('q_a_layernorm', narrowRank, linear('q_a_proj', x, narrowRank, { bias }))
      return linear('q_b_proj', narrow, heads * (resting + turning))
    }
    const turn = (states: typeof x, count: number) => (table ? ops.rotary(states, table, count, rotary) : states)
    const query = config.q_lora_rank ? queryOf(config.q_lora_rank) : linear('q_proj', x, heads * (resting + turning))
    const compressed = linear('kv_a_proj_with_mqa', x, rank + turning, { bias })
    const [latent, sharedKey] = ops.split(compressed, [rank, turning]) as [typeof x, typeof x]
    const keyValue = norm('kv_a_layernorm', rank, latent)
    const turnedKey = ops.cached(turn(sharedKey, 1))
    const turned = () => {
      const [own, turns] = ops.split(query, [heads * resting, heads * turning]) as [typeof x, typeof x]
      return ops.headsJoined(own, turn(turns, heads))
    }
    const q = table ? turned() : query
    const expanded = linear('kv_b_proj', ops.cached(keyValue), heads * (resting + valueSize))
    const [ownKey, value] = ops.split(expanded, [heads * resting, heads * valueSize]) as [typeof x, typeof x]
    const k = ops.headsJoined(ownKey, turnedKey, heads)
    if (indexer?.isIn(index)) ops.chooseKeys(`${name}.indexer`, x, indexer.shape)
    const context = ops.attention(scalesQuery ? ops.scale(q) : q, k, value, {
      heads,
      causal: true,
      dropout: config.attention_dropout,
      castsSoftmax: true,
      ...(indexer && { isAlwaysMasked: true }),
    })
    return linear('o_proj', context, config.hidden_size, { bias })
  }
  return indexer === undefined ? attention : differing(attention, layer => indexer.isIn(layer))
}

/** Queries go through a narrow projection or straight, never both. `others`: what the family has beside these. */
export function latentLinears({ q_lora_rank: rank }: Pick<LatentFields, 'q_lora_rank'>, ...others: string[]): Linears {
  const queries = rank ? ['q_a_proj', 'q_b_proj'] : ['q_proj']
  const common = ['kv_a_proj_with_mqa', 'kv_b_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']
  return { all: [...queries, ...common, ...others] }
}
