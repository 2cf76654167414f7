/** DeBERTa v2 and v3: encoders that attend to contents and to distances apart. transformers: models/deberta_v2. */
import * as z from 'zod'
import type { Builder } from '../program/builder.ts'
import type { Value } from '../program/value.ts'
import { answerSpan, encoderFields, tokenClassifier, WORDS } from './bert.ts'
import { family, type ProgramTerms } from './family.ts'
import { probability, size, wholeNumber } from './schema.ts'

const kinds = z.enum(['c2p', 'p2c'])

const debertaConfig = encoderFields.extend({
  model_type: z.literal('deberta-v2'),
  vocab_size: size.default(128_100),
  hidden_size: size.default(1_536),
  num_hidden_layers: encoderFields.shape.num_hidden_layers.unwrap().default(24),
  num_attention_heads: size.default(24),
  intermediate_size: size.default(6_144),
  type_vocab_size: wholeNumber(0, 1_024).default(0),
  relative_attention: z.literal(true, { error: 'DeBERTa without relative attention is not supported' }),
  max_relative_positions: z.number().int().default(-1),
  position_buckets: z.number().int().default(-1),
  position_biased_input: z.literal(false, { error: 'DeBERTa with absolute positions is not supported' }),
  /** Joined by bars, or as a list. */
  pos_att_type: z.union([z.string().max(100), z.array(kinds).max(10)]).nullish(),
  share_att_key: z.boolean().default(false),
  norm_rel_ebd: z.string().max(100).default('none'),
  /** Of a convolution beside the first layer, in v2's larger models. */
  conv_kernel_size: z
    .literal(0, { error: 'DeBERTa with a convolution (v2-xlarge and v2-xxlarge) is not supported' })
    .default(0),
  pooler_dropout: probability.default(0),
  legacy: z.boolean().default(true),
})
type DebertaConfig = z.infer<typeof debertaConfig>

function deberta(ops: Builder, config: DebertaConfig, { task, labels }: ProgramTerms): Value {
  const { hidden_size: hidden, hidden_dropout_prob: dropout } = config
  const states = encode(ops, config)
  if (task === 'token-classification') return tokenClassifier(ops, states, dropout, labels)
  if (task === 'question-answering') return answerSpan(ops, states)
  if (task === 'sentence-similarity') return states
  if (task === 'masked-lm') {
    const name = config.legacy ? 'cls.predictions.transform' : 'lm_predictions.lm_head'
    const dense = ops.gelu(ops.linear(`${name}.dense`, states, hidden))
    const normalised = ops.layerNorm(`${name}.LayerNorm`, dense)
    return ops.linear('cls.predictions.decoder', normalised, config.vocab_size, { tiedTo: `${WORDS}.weight` })
  }
  const first = ops.dropout(ops.firstToken(states), config.pooler_dropout)
  const pooled = ops.gelu(ops.linear('pooler.dense', first, hidden))
  return ops.linear('classifier', ops.dropout(pooled, dropout), labels)
}

function encode(ops: Builder, config: DebertaConfig): Value {
  const { hidden_size: hidden } = config
  ops.positionIds(config.max_position_embeddings)
  const words = ops.withInputGradients(ops.embedding(WORDS, ops.input(), config.vocab_size, hidden))
  const summed =
    config.type_vocab_size === 0
      ? words
      : ops.add(words, ops.embedding('embeddings.token_type_embeddings', ops.input(), config.type_vocab_size, hidden))
  // The product with the mask of padding.
  const seen = ops.scale(ops.layerNorm('embeddings.LayerNorm', summed))
  return ops.frame(ops.dropout(seen, config.hidden_dropout_prob), embedded => layers(ops, config, embedded))
}

/** All hidden states are kept until the last layer has returned. */
function layers(ops: Builder, config: DebertaConfig, embedded: Value): Value {
  const pairs = ops.pairsOfTokens(embedded)
  const table = ops.table('encoder.rel_embeddings', 2 * distancesOf(config), config.hidden_size)
  const isNormed = config.norm_rel_ebd.toLowerCase().includes('layer_norm')
  const distances = isNormed ? ops.layerNorm('encoder.LayerNorm', table) : table
  return ops.layers(ops.local(embedded), 'encoder.layer', config.num_hidden_layers, (states, { name }) =>
    ops.local(ops.block(states, x => layer(ops, config, name, x, pairs, distances), [...pairs, distances])),
  )
}

/** Rows of the table, for each direction. */
function distancesOf(config: DebertaConfig): number {
  const { position_buckets: buckets, max_relative_positions: distances, max_position_embeddings: positions } = config
  if (buckets > 0) return buckets
  return distances < 1 ? positions : distances
}

type Pairs = readonly [mask: Value, distances: Value]

function layer(ops: Builder, config: DebertaConfig, name: string, x: Value, pairs: Pairs, distances: Value): Value {
  const context = ops.frame(x, input => attention(ops, config, `${name}.attention.self`, input, pairs, distances))
  const attended = output(ops, config, `${name}.attention.output`, context, x)
  const widened = ops.gelu(ops.linear(`${name}.intermediate.dense`, attended, config.intermediate_size))
  return output(ops, config, `${name}.output`, widened, attended)
}

function attention(ops: Builder, config: DebertaConfig, name: string, x: Value, pairs: Pairs, distances: Value): Value {
  const { hidden_size: hidden, share_att_key: sharesKey, hidden_dropout_prob: dropout } = config
  const project = (part: string, states: Value) => ops.linear(`${name}.${part}_proj`, states, hidden)
  const [query, key, value] = [project('query', x), project('key', x), project('value', x)]
  const dropped = ops.dropout(distances, dropout)
  const kinds = kindsOf(config)
  const queries = kinds.includes('p2c') ? [project(sharesKey ? 'query' : 'pos_query', dropped)] : []
  const keys = kinds.includes('c2p') ? [project(sharesKey ? 'key' : 'pos_key', dropped)] : []
  return ops.disentangledAttention([query, key, value], pairs, [...keys, ...queries], {
    heads: config.num_attention_heads,
    dropout: config.attention_probs_dropout_prob,
    comparedWith: [...keys.map(() => 'query' as const), ...queries.map(() => 'key' as const)],
  })
}

function kindsOf({ pos_att_type: written }: DebertaConfig): readonly string[] {
  if (written === null || written === undefined) return []
  return typeof written === 'string' ? written.split('|').map(kind => kind.trim()) : written
}

/** DebertaV2SelfOutput, DebertaV2Output. */
function output(ops: Builder, config: DebertaConfig, name: string, x: Value, skip: Value): Value {
  return ops.frame(x, input => {
    const projected = ops.dropout(ops.linear(`${name}.dense`, input, config.hidden_size), config.hidden_dropout_prob)
    return ops.layerNorm(`${name}.LayerNorm`, ops.residual(projected, skip))
  })
}

export const debertaFamily = family('encoder', debertaConfig, deberta, {
  linears: ({ share_att_key: sharesKey }) => ({
    all: ['query_proj', 'key_proj', 'value_proj', ...(sharesKey ? [] : ['pos_key_proj', 'pos_query_proj']), 'dense'],
    usual: ['query_proj', 'value_proj'],
    head: ['pooler', 'classifier'],
  }),
  refusesFlash: true,
})
