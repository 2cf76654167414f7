/** Decoders that compose their attention in float32 whatever kernel is asked for: GPT-J and GPT-Neo. transformers: models/{gptj,gpt_neo}. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { family, type ProgramTerms } from '../family.ts'
import { layerCount, layerList, probability, size } from '../schema.ts'
import { placedStates } from './learned-positions.ts'

const gptjConfig = z.object({
  model_type: z.literal('gptj'),
  vocab_size: size.default(50_400),
  n_positions: size.default(2_048),
  n_embd: size.default(4_096),
  n_layer: layerCount.default(28),
  n_head: size.default(16),
  n_inner: size.nullish(),
  rotary_dim: size.default(64),
  activation_function: z.literal('gelu_new').default('gelu_new'),
  resid_pdrop: probability.default(0),
  embd_pdrop: probability.default(0),
  attn_pdrop: probability.default(0),
  tie_word_embeddings: z.literal(false, { error: 'GPT-J with tied word embeddings is not supported' }).default(false),
})
type GptjConfig = z.infer<typeof gptjConfig>

const gptNeoConfig = z.object({
  model_type: z.literal('gpt_neo'),
  vocab_size: size.default(50_257),
  max_position_embeddings: size.default(2_048),
  hidden_size: size.default(2_048),
  num_layers: layerCount.default(24),
  num_heads: size.default(16),
  intermediate_size: size.nullish(),
  /** Which kinds of layers follow each other how often; what they keep is the same. */
  attention_types: layerList(z.tuple([layerList(z.enum(['global', 'local'])), layerCount])).nullish(),
  activation_function: z.literal('gelu_new').default('gelu_new'),
  resid_dropout: probability.default(0),
  embed_dropout: probability.default(0),
  attention_dropout: probability.default(0),
})
type GptNeoConfig = z.infer<typeof gptNeoConfig>

function gptj(ops: Builder, config: GptjConfig, { task, labels }: ProgramTerms): Value {
  const words = ops.withInputGradients(ops.embedding('transformer.wte', ops.input(), config.vocab_size, config.n_embd))
  // Sines and cosines of every position, in float32, of every layer.
  ops.positionIds((config.n_layer * config.n_positions * config.rotary_dim) / 2)
  let x = ops.dropout(words, config.embd_pdrop)
  x = ops.layers(x, 'transformer.h', config.n_layer, (states, { name }) =>
    ops.block(states, input => gptjBlock(ops, config, name, input)),
  )
  const output = ops.layerNorm('transformer.ln_f', x)
  return task === 'causal-lm'
    ? ops.linear('lm_head', output, config.vocab_size)
    : ops.lastToken(ops.linear('score', output, labels, { bias: false }))
}

/** Attention and feed-forward side by side, after one norm. */
function gptjBlock(ops: Builder, config: GptjConfig, name: string, x: Value): Value {
  const { n_embd: hidden, n_head: heads, n_inner: inner, rotary_dim: rotarySize, resid_pdrop: dropout } = config
  const normalised = ops.local(ops.layerNorm(`${name}.ln_1`, x))
  const [query, key, value] = projected(ops, `${name}.attn`, normalised, hidden)
  // Each call repeats its sines and cosines for itself.
  const turned = (part: Value) => ops.rotary(part, ops.rotaryTable(part, rotarySize), heads)
  const turnedQuery = turned(query)
  const turnedKey = turned(key)
  const context = ops.attention(turnedQuery, ops.cached(turnedKey), ops.cached(value, turnedKey), {
    heads,
    causal: true,
    dropout: config.attn_pdrop,
    inFloat32: true,
  })
  const attended = ops.dropout(ops.linear(`${name}.attn.out_proj`, context, hidden, { bias: false }), dropout)
  const widened = ops.geluNew(ops.linear(`${name}.mlp.fc_in`, normalised, inner ?? 4 * hidden))
  const fed = ops.dropout(ops.linear(`${name}.mlp.fc_out`, widened, hidden), dropout)
  return ops.residual(ops.residual(attended, fed), x)
}

function gptNeo(ops: Builder, config: GptNeoConfig, { sequenceLength: tokens = 0, task, labels }: ProgramTerms): Value {
  const { vocab_size, hidden_size: hidden } = config
  const embedded = ops.withInputGradients(ops.embedding('transformer.wte', ops.input(), vocab_size, hidden))
  // What each position may see, a bool each, of every layer.
  ops.positionIds((config.num_layers * config.max_position_embeddings ** 2) / 8)
  const { max_position_embeddings: positions, num_layers: layers, embed_dropout: dropout } = config
  const placed = { positions, hidden, tokens, dropout, layers }
  const output = placedStates(ops, embedded, placed, (input, name) => gptNeoBlock(ops, config, name, input))
  return task === 'causal-lm'
    ? ops.linear('lm_head', output, vocab_size, { bias: false, tiedTo: 'transformer.wte.weight' })
    : ops.lastToken(ops.linear('score', output, labels, { bias: false }))
}

function gptNeoBlock(ops: Builder, config: GptNeoConfig, name: string, x: Value): Value {
  const { hidden_size: hidden, num_heads: heads, intermediate_size: inner, resid_dropout: dropout } = config
  const attention = `${name}.attn.attention`
  const [query, key, value] = projected(ops, attention, ops.layerNorm(`${name}.ln_1`, x), hidden)
  const context = ops.attention(query, ops.cached(key), ops.cached(value), {
    heads,
    causal: true,
    dropout: config.attention_dropout,
    inFloat32: true,
  })
  const attentionOutput = ops.local(ops.dropout(ops.linear(`${attention}.out_proj`, context, hidden), dropout))
  const attended = ops.residual(attentionOutput, x)
  const normalised = ops.layerNorm(`${name}.ln_2`, attended)
  const widened = ops.geluNew(ops.linear(`${name}.mlp.c_fc`, normalised, inner ?? 4 * hidden))
  return ops.residual(attended, ops.dropout(ops.linear(`${name}.mlp.c_proj`, widened, hidden), dropout))
}

function projected(ops: Builder, name: string, x: Value, hidden: number): [query: Value, key: Value, value: Value] {
  return ['q_proj', 'k_proj', 'v_proj'].map(part => ops.linear(`${name}.${part}`, x, hidden, { bias: false })) as [
    Value,
    Value,
    Value,
  ]
}

export const gptjFamily = family('decoder', gptjConfig, gptj, {
  linears: () => ({ all: ['q_proj', 'k_proj', 'v_proj', 'out_proj', 'fc_in', 'fc_out'], usual: ['q_proj', 'v_proj'] }),
})
export const gptNeoFamily = family('decoder', gptNeoConfig, gptNeo, {
  linears: () => ({ all: ['q_proj', 'k_proj', 'v_proj', 'out_proj', 'c_fc', 'c_proj'], usual: ['q_proj', 'v_proj'] }),
  hasPositionTable: true,
})
