/** GPT-2: a decoder that normalises before each block, with q, k and v as one projection. transformers: models/gpt2. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { family, type ProgramTerms } from '../family.ts'
import { layerCount, probability, size } from '../schema.ts'
import { placedStates } from './learned-positions.ts'

export const gpt2Config = z.object({
  model_type: z.literal('gpt2'),
  vocab_size: size.default(50_257),
  n_positions: size.default(1_024),
  n_embd: size.default(768),
  n_layer: layerCount.default(12),
  n_head: size.default(12),
  n_inner: size.nullish(),
  activation_function: z.enum(['gelu_new', 'gelu']).default('gelu_new'),
  resid_pdrop: probability.default(0.1),
  embd_pdrop: probability.default(0.1),
  attn_pdrop: probability.default(0.1),
})
type Gpt2Config = z.infer<typeof gpt2Config>

function gpt2(ops: Builder, config: Gpt2Config, { sequenceLength: tokens = 0, task, labels }: ProgramTerms): Value {
  const embedded = ops.withInputGradients(
    ops.embedding('transformer.wte', ops.input(), config.vocab_size, config.n_embd),
  )
  const { n_positions: positions, n_embd, n_layer: layers, embd_pdrop: dropout } = config
  const placed = { positions, hidden: n_embd, tokens, dropout, layers }
  const hidden = placedStates(ops, embedded, placed, (input, name) => block(ops, config, name, input))
  return task === 'causal-lm'
    ? ops.linear('lm_head', hidden, config.vocab_size, { bias: false, tiedTo: 'transformer.wte.weight' })
    : ops.lastToken(ops.linear('score', hidden, labels, { bias: false }))
}

function block(ops: Builder, config: Gpt2Config, name: string, x: Value): Value {
  const { n_embd: hidden, n_inner: inner, resid_pdrop: dropout } = config
  const activate = (x: Value) => (config.activation_function === 'gelu' ? ops.gelu(x) : ops.geluNew(x))
  const joined = ops.linear(`${name}.attn.c_attn`, ops.layerNorm(`${name}.ln_1`, x), 3 * hidden)
  const [query, key, value] = ops.split(joined, [hidden, hidden, hidden]) as [Value, Value, Value]
  const context = ops.attention(query, ops.cached(key), ops.cached(value), {
    heads: config.n_head,
    causal: true,
    dropout: config.attn_pdrop,
  })
  const attentionOutput = ops.local(ops.dropout(ops.linear(`${name}.attn.c_proj`, context, hidden), dropout))
  const attended = ops.residual(attentionOutput, x)
  const normalised = ops.layerNorm(`${name}.ln_2`, attended)
  const widened = activate(ops.linear(`${name}.mlp.c_fc`, normalised, inner ?? 4 * hidden))
  return ops.residual(attended, ops.dropout(ops.linear(`${name}.mlp.c_proj`, widened, hidden), dropout))
}

export const gpt2Family = family('decoder', gpt2Config, gpt2, {
  linears: () => ({ all: ['c_attn', 'c_proj', 'c_fc'], usual: ['c_attn'] }),
  hasPositionTable: true,
  isStoredIn32Bits: true,
})
