/** GPT BigCode (StarCoder): GPT-2 whose heads share one key and value. transformers: models/gpt_bigcode. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { family, type ProgramTerms } from '../family.ts'
import { gpt2Config } from './gpt2.ts'
import { placedStates } from './learned-positions.ts'

const gptBigCodeConfig = gpt2Config.extend({
  model_type: z.literal('gpt_bigcode'),
  activation_function: z.enum(['gelu_pytorch_tanh', 'gelu']).default('gelu_pytorch_tanh'),
  multi_query: z.literal(true, { error: 'GPT BigCode without multi-query attention is not supported' }).default(true),
  tie_word_embeddings: z.boolean().default(true),
})
type GptBigCodeConfig = z.infer<typeof gptBigCodeConfig>

function gptBigCode(
  ops: Builder,
  config: GptBigCodeConfig,
  { sequenceLength: tokens = 0, task, labels }: ProgramTerms,
): Value {
  const { vocab_size: words, n_embd: hidden } = config
  const embedded = ops.withInputGradients(ops.embedding('transformer.wte', ops.input(), words, hidden))
  // GPTBigCodeModel.bias: what every position may see, a bool each.
  ops.positionIds(config.n_positions ** 2 / 8)
  const { n_positions: positions, n_layer: layers, embd_pdrop: dropout } = config
  const placed = { positions, hidden, tokens, dropout, layers }
  const output = placedStates(ops, embedded, placed, (input, name) => block(ops, config, name, input))
  if (task !== 'causal-lm') return ops.lastToken(ops.linear('score', output, labels, { bias: false }))
  const tied = config.tie_word_embeddings ? { tiedTo: 'transformer.wte.weight' } : {}
  return ops.linear('lm_head', output, words, { bias: false, ...tied })
}

function block(ops: Builder, config: GptBigCodeConfig, name: string, x: Value): Value {
  const { n_embd: hidden, n_head: heads, n_inner: inner, resid_pdrop: dropout } = config
  const headSize = hidden / heads
  const joined = ops.linear(`${name}.attn.c_attn`, ops.layerNorm(`${name}.ln_1`, x), hidden + 2 * headSize)
  const [query, key, value] = ops.split(joined, [hidden, headSize, headSize]) as [Value, Value, Value]
  const context = ops.attention(query, ops.cached(key), ops.cached(value), {
    heads,
    keyValueHeads: 1,
    causal: true,
    dropout: config.attn_pdrop,
    castsSoftmax: true,
  })
  const attentionOutput = ops.local(ops.dropout(ops.linear(`${name}.attn.c_proj`, context, hidden), dropout))
  const attended = ops.residual(attentionOutput, x)
  const normalised = ops.layerNorm(`${name}.ln_2`, attended)
  const widened = ops.gelu(ops.linear(`${name}.mlp.c_fc`, normalised, inner ?? 4 * hidden))
  return ops.residual(attended, ops.dropout(ops.linear(`${name}.mlp.c_proj`, widened, hidden), dropout))
}

export const gptBigCodeFamily = family('decoder', gptBigCodeConfig, gptBigCode, {
  linears: () => ({ all: ['c_attn', 'c_proj', 'c_fc'], usual: ['c_attn'] }),
  hasPositionTable: true,
  isStoredIn32Bits: true,
})
