/** OPT: a decoder with learned positions and ReLU. transformers: models/opt. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { family, type ProgramTerms } from '../family.ts'
import { functionalDropout } from '../functional-dropout.ts'
import { layerCount, probability, size } from '../schema.ts'

const optConfig = z.object({
  model_type: z.literal('opt'),
  vocab_size: size,
  hidden_size: size,
  ffn_dim: size,
  num_hidden_layers: layerCount,
  num_attention_heads: size,
  max_position_embeddings: size.default(2_048),
  /** Narrower than `hidden_size` in OPT-350M, which projects in and out. */
  word_embed_proj_dim: size.nullish(),
  /** False in OPT-350M: norms come after the residual sums. */
  do_layer_norm_before: z.boolean().default(true),
  dropout: probability.default(0.1),
  attention_dropout: probability.default(0),
})
type OptConfig = z.infer<typeof optConfig>

/** OPTLearnedPositionalEmbedding: two rows before the first position. */
const POSITION_OFFSET = 2

/** OPTDecoder.forward holds the embeddings of words and positions through all layers. */
function opt(ops: Builder, config: OptConfig, { task, labels }: ProgramTerms): Value {
  const { hidden_size: hidden, max_position_embeddings: positions } = config
  const embedded = config.word_embed_proj_dim ?? hidden
  const projects = embedded !== hidden
  const words = ops.withInputGradients(
    ops.embedding('model.decoder.embed_tokens', ops.input(), config.vocab_size, embedded),
  )
  const narrow = { bias: false }
  const projected = projects ? ops.linear('model.decoder.project_in', words, hidden, narrow) : words
  const normalised = ops.frame(projected, states => {
    const places = ops.local(
      ops.embedding('model.decoder.embed_positions', ops.input(), positions + POSITION_OFFSET, hidden),
    )
    const x = ops.layers(
      ops.add(states, places),
      'model.decoder.layers',
      config.num_hidden_layers,
      (states, { name }) => ops.block(states, input => layer(ops, config, name, input)),
    )
    return config.do_layer_norm_before ? ops.layerNorm('model.decoder.final_layer_norm', x) : x
  })
  const output = projects ? ops.linear('model.decoder.project_out', normalised, embedded, narrow) : normalised
  return task === 'causal-lm'
    ? ops.linear('lm_head', output, config.vocab_size, { bias: false, tiedTo: 'model.decoder.embed_tokens.weight' })
    : ops.lastToken(ops.linear('score', output, labels, narrow))
}

function layer(ops: Builder, config: OptConfig, name: string, x: Value): Value {
  const { hidden_size: hidden, do_layer_norm_before: normsBefore, dropout } = config
  const before = (part: string, states: Value) => (normsBefore ? ops.layerNorm(`${name}.${part}`, states) : states)
  const after = (part: string, states: Value) => (normsBefore ? states : ops.layerNorm(`${name}.${part}`, states))
  const normalised = before('self_attn_layer_norm', x)
  const [query, key, value] = ['q_proj', 'k_proj', 'v_proj'].map(part =>
    ops.linear(`${name}.self_attn.${part}`, normalised, hidden),
  ) as [Value, Value, Value]
  const shape = {
    heads: config.num_attention_heads,
    causal: true,
    dropout: config.attention_dropout,
    castsSoftmax: true,
    clampsScores: true,
  }
  const context = ops.attention(ops.scale(query), ops.cached(key), ops.cached(value), shape)
  const projected = ops.dropout(ops.linear(`${name}.self_attn.out_proj`, context, hidden), dropout, functionalDropout)
  const attended = after('self_attn_layer_norm', ops.residual(projected, x))
  const widened = ops.relu(ops.linear(`${name}.fc1`, before('final_layer_norm', attended), config.ffn_dim))
  const fed = ops.dropout(ops.linear(`${name}.fc2`, widened, hidden), dropout, functionalDropout)
  return after('final_layer_norm', ops.residual(fed, attended))
}

export const optFamily = family('decoder', optConfig, opt, {
  linears: () => ({ all: ['q_proj', 'k_proj', 'v_proj', 'out_proj', 'fc1', 'fc2'], usual: ['q_proj', 'v_proj'] }),
  hasPositionTable: true,
})
