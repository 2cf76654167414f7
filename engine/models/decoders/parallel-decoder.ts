/** GPT-NeoX (Pythia) and Phi: decoders whose attention and feed-forward read the same input. transformers: models/{gpt_neox,phi}. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { family, type ProgramTerms } from '../family.ts'
import { fusedAttentionLinears } from '../linears.ts'
import { layerCount, probability, size } from '../schema.ts'

const gptNeoxConfig = z.object({
  model_type: z.literal('gpt_neox'),
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: layerCount,
  num_attention_heads: size,
  max_position_embeddings: size,
  rotary_pct: z.number().min(0).max(1).default(0.25),
  hidden_dropout: probability.default(0),
  attention_dropout: probability.default(0),
  use_parallel_residual: z.boolean().default(true),
  tie_word_embeddings: z.boolean().default(false),
})
type GptNeoxConfig = z.infer<typeof gptNeoxConfig>

const phiConfig = z.object({
  model_type: z.literal('phi'),
  vocab_size: size,
  hidden_size: size,
  intermediate_size: size,
  num_hidden_layers: layerCount,
  num_attention_heads: size,
  max_position_embeddings: size,
  partial_rotary_factor: z.number().min(0).max(1).default(0.5),
  resid_pdrop: probability.default(0),
  embd_pdrop: probability.default(0),
  attention_dropout: probability.default(0),
})
type PhiConfig = z.infer<typeof phiConfig>

function gptNeox(ops: Builder, config: GptNeoxConfig, { task, labels }: ProgramTerms): Value {
  const { hidden_size: hidden, num_attention_heads: heads, hidden_dropout: dropout } = config
  const words = ops.withInputGradients(ops.embedding('gpt_neox.embed_in', ops.input(), config.vocab_size, hidden))
  let x = ops.dropout(words, dropout)
  const table = ops.rotaryTable(x, Math.floor((hidden / heads) * config.rotary_pct))
  x = ops.layers(x, 'gpt_neox.layers', config.num_hidden_layers, (states, { name }) =>
    ops.block(states, input => neoxLayer(ops, config, name, table, input)),
  )
  const output = ops.layerNorm('gpt_neox.final_layer_norm', x)
  if (task !== 'causal-lm') return ops.lastToken(ops.linear('score', output, labels, { bias: false }))
  const tied = config.tie_word_embeddings ? { tiedTo: 'gpt_neox.embed_in.weight' } : {}
  return ops.linear('embed_out', output, config.vocab_size, { bias: false, ...tied })
}

function neoxLayer(ops: Builder, config: GptNeoxConfig, name: string, table: readonly [Value, Value], x: Value): Value {
  const { hidden_size: hidden, num_attention_heads: heads, hidden_dropout: dropout } = config
  const normalised = ops.layerNorm(`${name}.input_layernorm`, x)
  const joined = ops.linear(`${name}.attention.query_key_value`, normalised, 3 * hidden)
  const [query, key, value] = ops.split(joined, [hidden, hidden, hidden]) as [Value, Value, Value]
  const [q, k] = [query, key].map(states => ops.rotary(states, table, heads, { alwaysJoins: true })) as [Value, Value]
  const shape = { heads, causal: true, dropout: config.attention_dropout, castsSoftmax: true }
  const context = ops.attention(q, ops.cached(k), ops.cached(value, k), shape)
  const attended = ops.dropout(ops.linear(`${name}.attention.dense`, context, hidden), dropout)
  if (!config.use_parallel_residual) {
    const sum = ops.residual(attended, x)
    return ops.residual(ops.dropout(neoxFeedForward(ops, config, name, sum), dropout), sum)
  }
  const fed = ops.dropout(neoxFeedForward(ops, config, name, x), dropout)
  return ops.residual(ops.residual(fed, attended), x)
}

function neoxFeedForward(ops: Builder, config: GptNeoxConfig, name: string, x: Value): Value {
  const normalised = ops.layerNorm(`${name}.post_attention_layernorm`, x)
  const widened = ops.gelu(ops.linear(`${name}.mlp.dense_h_to_4h`, normalised, config.intermediate_size))
  return ops.linear(`${name}.mlp.dense_4h_to_h`, widened, config.hidden_size)
}

function phi(ops: Builder, config: PhiConfig, { task, labels }: ProgramTerms): Value {
  const { hidden_size: hidden, num_attention_heads: heads } = config
  const words = ops.withInputGradients(ops.embedding('model.embed_tokens', ops.input(), config.vocab_size, hidden))
  let x = ops.dropout(words, config.embd_pdrop)
  const table = ops.rotaryTable(x, Math.floor((hidden / heads) * config.partial_rotary_factor))
  x = ops.layers(x, 'model.layers', config.num_hidden_layers, (states, { name }) =>
    ops.block(states, input => phiLayer(ops, config, name, table, input)),
  )
  const output = ops.layerNorm('model.final_layernorm', x)
  return task === 'causal-lm'
    ? ops.linear('lm_head', output, config.vocab_size)
    : ops.lastToken(ops.linear('score', output, labels, { bias: false }))
}

function phiLayer(ops: Builder, config: PhiConfig, name: string, table: readonly [Value, Value], x: Value): Value {
  const { hidden_size: hidden, num_attention_heads: heads, resid_pdrop: dropout } = config
  const normalised = ops.layerNorm(`${name}.input_layernorm`, x)
  const [query, key, value] = ['q_proj', 'k_proj', 'v_proj'].map(part =>
    ops.linear(`${name}.self_attn.${part}`, normalised, hidden),
  ) as [Value, Value, Value]
  const [q, k] = [query, key].map(states => ops.rotary(states, table, heads)) as [Value, Value]
  const shape = { heads, causal: true, dropout: config.attention_dropout, castsSoftmax: true }
  const context = ops.attention(q, ops.cached(k), ops.cached(value, k), shape)
  const attended = ops.dropout(ops.linear(`${name}.self_attn.dense`, context, hidden), dropout)
  const widened = ops.geluNew(ops.linear(`${name}.mlp.fc1`, normalised, config.intermediate_size))
  const fed = ops.dropout(ops.linear(`${name}.mlp.fc2`, widened, hidden), dropout)
  return ops.residual(ops.residual(attended, fed), x)
}

export const gptNeoxFamily = family('decoder', gptNeoxConfig, gptNeox, { linears: () => fusedAttentionLinears })
export const phiFamily = family('decoder', phiConfig, phi, {
  linears: () => ({
    all: ['q_proj', 'k_proj', 'v_proj', 'dense', 'fc1', 'fc2'],
    usual: ['q_proj', 'v_proj', 'fc1', 'fc2'],
  }),
})
