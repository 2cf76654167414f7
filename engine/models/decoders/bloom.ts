/** BLOOM: a decoder without positions, whose heads see near tokens better (ALiBi). transformers: models/bloom. */
import * as z from 'zod'
import type { Builder } from '../../program/builder.ts'
import type { Value } from '../../program/value.ts'
import { family, type ProgramTerms } from '../family.ts'
import { functionalDropout } from '../functional-dropout.ts'
import { fusedAttentionLinears } from '../linears.ts'
import { layerCount, probability, size } from '../schema.ts'

const bloomConfig = z.object({
  model_type: z.literal('bloom'),
  vocab_size: size.default(250_880),
  hidden_size: size.default(64),
  n_layer: layerCount.default(2),
  n_head: size.default(8),
  hidden_dropout: probability.default(0),
  attention_dropout: probability.default(0),
  apply_residual_connection_post_layernorm: z
    .literal(false, { error: 'BLOOM with residuals behind its norms is not supported' })
    .default(false),
  tie_word_embeddings: z.boolean().default(true),
})
type BloomConfig = z.infer<typeof bloomConfig>

const WORDS = 'transformer.word_embeddings'

function bloom(ops: Builder, config: BloomConfig, { sequenceLength: tokens = 0, task, labels }: ProgramTerms): Value {
  const words = ops.embedding(WORDS, ops.input(), config.vocab_size, config.hidden_size)
  const embedded = ops.layerNorm(`${WORDS}_layernorm`, ops.withInputGradients(words))
  const states = ops.frame(embedded, first => {
    // Every sample has its mask, although all are alike.
    const mask = ops.local(ops.mask(tokens, tokens))
    return ops.layers(first, 'transformer.h', config.n_layer, (x, { name }) =>
      ops.block(x, input => layer(ops, config, name, input), [mask]),
    )
  })
  const output = ops.layerNorm('transformer.ln_f', states)
  if (task !== 'causal-lm') return ops.lastToken(ops.linear('score', output, labels, { bias: false }))
  const tied = config.tie_word_embeddings ? { tiedTo: `${WORDS}.weight` } : {}
  return ops.linear('lm_head', output, config.vocab_size, { bias: false, ...tied })
}

function layer(ops: Builder, config: BloomConfig, name: string, x: Value): Value {
  const { hidden_size: hidden, hidden_dropout: dropout } = config
  const normalised = ops.local(ops.layerNorm(`${name}.input_layernorm`, x))
  const context = attention(ops, config, `${name}.self_attention`, normalised)
  const attended = ops.residual(ops.dropout(context, dropout, functionalDropout), x)
  const forFeeding = ops.local(ops.layerNorm(`${name}.post_attention_layernorm`, attended))
  const widened = ops.geluRecomputed(ops.linear(`${name}.mlp.dense_h_to_4h`, forFeeding, 4 * hidden))
  const fed = ops.linear(`${name}.mlp.dense_4h_to_h`, widened, hidden)
  return ops.residual(ops.dropout(fed, dropout, functionalDropout), attended)
}

function attention(ops: Builder, config: BloomConfig, name: string, x: Value): Value {
  const { hidden_size: hidden, n_head: heads, attention_dropout: dropout } = config
  const joined = ops.linear(`${name}.query_key_value`, x, 3 * hidden)
  const [query, key, value] = ops.slices(joined, [hidden, hidden, hidden]) as [Value, Value, Value]
  const context = ops.alibiAttention(query, ops.cached(key), ops.cached(value), { heads, dropout })
  return ops.linear(`${name}.dense`, context, hidden)
}

export const bloomFamily = family('decoder', bloomConfig, bloom, {
  linears: () => fusedAttentionLinears,
  refusesFlash: true,
  ownNames: { hidden_size: 'n_embed', n_layer: 'num_hidden_layers', n_head: 'num_attention_heads' },
})
