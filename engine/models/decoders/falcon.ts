/** Falcon 7B and 40B: rotary decoders whose attention and feed-forward run side by side. transformers: models/falcon. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { family, type ProgramTerms } from '../family.ts'
import { functionalDropout } from '../functional-dropout.ts'
import { fusedAttentionLinears } from '../linears.ts'
import { layerCount, probability, size } from '../schema.ts'

const falconConfig = z.object({
  model_type: z.literal('falcon'),
  vocab_size: size.default(65_024),
  hidden_size: size.default(4_544),
  num_hidden_layers: layerCount.default(32),
  num_attention_heads: size.default(71),
  /** Of the 40B's architecture; the 7B has one key and value head. */
  num_kv_heads: size.nullish(),
  max_position_embeddings: size.default(2_048),
  ffn_hidden_size: size.nullish(),
  hidden_dropout: probability.default(0),
  attention_dropout: probability.default(0),
  bias: z.boolean().default(false),
  new_decoder_architecture: z.boolean().default(false),
  num_ln_in_parallel_attn: z.number().nullish(),
  tie_word_embeddings: z.boolean().default(true),
  // The Falcon-RW models have ALiBi instead of rotary positions, and attention before the feed-forward.
  alibi: z.literal(false, { error: 'Falcon with ALiBi (the RW models) is not supported' }).default(false),
  parallel_attn: z.literal(true, { error: 'Falcon without parallel attention is not supported' }).default(true),
  multi_query: z.literal(true, { error: 'Falcon without multi-query attention is not supported' }).default(true),
})
type FalconConfig = z.infer<typeof falconConfig>

/** FalconLinear: `x @ weight.T + bias`, never one op. */
function falconLinear(ops: Builder, config: FalconConfig, name: string, x: Value, outFeatures: number): Value {
  return ops.linear(name, x, outFeatures, { bias: config.bias, composed: true })
}

/** FalconModel.forward holds the embeddings through all layers. */
function falcon(ops: Builder, config: FalconConfig, { task, labels }: ProgramTerms): Value {
  const { hidden_size: hidden, num_attention_heads: heads } = config
  const words = ops.embedding('transformer.word_embeddings', ops.input(), config.vocab_size, hidden)
  const output = ops.frame(ops.withInputGradients(words), embedded => {
    const table = ops.rotaryTable(embedded, hidden / heads)
    const x = ops.layers(embedded, 'transformer.h', config.num_hidden_layers, (states, { name }) =>
      ops.block(states, input => layer(ops, config, name, table, input)),
    )
    return ops.layerNorm('transformer.ln_f', x)
  })
  if (task !== 'causal-lm') return ops.lastToken(ops.linear('score', output, labels, { bias: false }))
  const tied = config.tie_word_embeddings ? { tiedTo: 'transformer.word_embeddings.weight' } : {}
  return ops.linear('lm_head', output, config.vocab_size, { bias: false, ...tied })
}

function layer(ops: Builder, config: FalconConfig, name: string, table: readonly [Value, Value], x: Value): Value {
  const normsTwice = config.new_decoder_architecture && (config.num_ln_in_parallel_attn ?? 2) === 2
  const normalised = ops.layerNorm(`${name}.${normsTwice ? 'ln_attn' : 'input_layernorm'}`, x)
  const forFeeding = normsTwice ? ops.layerNorm(`${name}.ln_mlp`, x) : normalised
  const attended = ops.frame(normalised, input => attention(ops, config, `${name}.self_attention`, table, input))
  const fed = ops.frame(forFeeding, input => feedForward(ops, config, `${name}.mlp`, input))
  const sum = ops.residual(fed, attended, { inPlace: true })
  return ops.residual(ops.dropout(sum, config.hidden_dropout, functionalDropout), x)
}

function attention(ops: Builder, config: FalconConfig, name: string, table: readonly [Value, Value], x: Value): Value {
  const { hidden_size: hidden, num_attention_heads: heads } = config
  const [query, key, value] = projections(ops, config, `${name}.query_key_value`, x)
  const keyValueHeads = config.new_decoder_architecture ? heads : 1
  const turned = ops.rotary(query, table, heads)
  const turnedKey = ops.rotary(key, table, keyValueHeads)
  const context = ops.attention(turned, ops.cached(turnedKey), ops.cached(value, turnedKey), {
    heads,
    keyValueHeads,
    causal: true,
    dropout: 0,
    isAlwaysMasked: true,
    broadcastsHeads: true,
  })
  return falconLinear(ops, config, `${name}.dense`, context, hidden)
}

/** `_split_heads`: the query is a view of the joined projection; keys and values are gathered, in the 40B for every head. */
function projections(ops: Builder, config: FalconConfig, name: string, x: Value): [Value, Value, Value] {
  const { hidden_size: hidden, num_attention_heads: heads, new_decoder_architecture: isGrouped } = config
  const headSize = hidden / heads
  const keyValueHeads = isGrouped ? (config.num_kv_heads ?? heads) : 1
  const keySize = keyValueHeads * headSize
  const joined = falconLinear(ops, config, name, x, hidden + 2 * keySize)
  const [query, key, value] = ops.slices(joined, [hidden, keySize, keySize]) as [Value, Value, Value]
  const gathered = [key, value].map(part => ops.gathered(part))
  if (!isGrouped) return [query, ...gathered] as [Value, Value, Value]
  const repeated = gathered.map(part => ops.repeatHeads(part, heads / keyValueHeads, keyValueHeads))
  return [ops.gathered(query), ...repeated] as [Value, Value, Value]
}

function feedForward(ops: Builder, config: FalconConfig, name: string, x: Value): Value {
  const inner = config.ffn_hidden_size ?? 4 * config.hidden_size
  const widened = ops.gelu(falconLinear(ops, config, `${name}.dense_h_to_4h`, x, inner))
  return falconLinear(ops, config, `${name}.dense_4h_to_h`, widened, config.hidden_size)
}

export const falconFamily = family('decoder', falconConfig, falcon, { linears: () => fusedAttentionLinears })
