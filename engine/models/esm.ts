/**
 * ESM-2: encoders of proteins with rotary positions, whose tokens are amino acids. transformers: models/esm, with
 * `position_embedding_type: rotary`.
 */
import * as z from 'zod'
import type { Builder } from '../program/builder.ts'
import type { Value } from '../program/value.ts'
import { encoderFields, encoderLinears, tokenClassifier, WORDS, withIdlePooler } from './bert.ts'
import { family, type ProgramTerms } from './family.ts'
import { size } from './schema.ts'

const esmConfig = encoderFields.omit({ type_vocab_size: true }).extend({
  model_type: z.literal('esm'),
  vocab_size: size,
  max_position_embeddings: size.default(1_026),
  /** ESM-1 has a table of positions, and ESMFold more than an encoder. */
  position_embedding_type: z.literal('rotary'),
  is_folding_model: z.literal(false).default(false),
  emb_layer_norm_before: z.boolean().nullable().default(null),
  token_dropout: z.boolean().default(false),
  mask_token_id: z.int().nonnegative().nullish(),
  pad_token_id: z.int().nonnegative().nullish(),
})
type EsmConfig = z.infer<typeof esmConfig>

function esm(ops: Builder, config: EsmConfig, { task, labels }: ProgramTerms): Value {
  const { hidden_size: hidden, hidden_dropout_prob: dropout } = config
  const encoded = encode(ops, config)
  // It reads attention scores, which training does not ask for.
  ops.idle(config.num_hidden_layers * config.num_attention_heads, x => ops.linear('contact_head.regression', x, 1))
  if (task === 'masked-lm') {
    const transformed = gelu(ops, ops.linear('lm_head.dense', encoded, hidden))
    const tied = { tiedTo: `${WORDS}.weight` }
    return ops.linear('lm_head.decoder', ops.layerNorm('lm_head.layer_norm', transformed), config.vocab_size, tied)
  }
  if (task === 'token-classification') return tokenClassifier(ops, encoded, dropout, labels)
  if (task === 'sentence-similarity') return withIdlePooler(ops, hidden, encoded)
  const first = ops.dropout(ops.firstToken(encoded), dropout)
  const dense = ops.tanh(ops.linear('classifier.dense', first, hidden))
  return ops.linear('classifier.out_proj', ops.dropout(dense, dropout), labels)
}

/** EsmModel.forward holds the embeddings through all layers. */
function encode(ops: Builder, config: EsmConfig): Value {
  const { hidden_size: hidden, num_attention_heads: heads } = config
  const embedded = embeddings(ops, config)
  const table = ops.rotaryTable(embedded, hidden / heads)
  const encoded = ops.frame(embedded, x =>
    ops.layers(x, 'encoder.layer', config.num_hidden_layers, (states, { name }) =>
      ops.block(states, input => layer(ops, config, table, name, input), table),
    ),
  )
  return ops.layerNorm('encoder.emb_layer_norm_after', encoded)
}

function embeddings(ops: Builder, config: EsmConfig): Value {
  ops.positionIds(config.max_position_embeddings)
  const words = ops.withInputGradients(ops.embedding(WORDS, ops.input(), config.vocab_size, config.hidden_size))
  // Zeros in place of masked tokens, and the others scaled by how many those are: a fill, a product and a quotient.
  const scaled = config.token_dropout ? ops.scale(ops.scale(ops.scale(words))) : words
  const normed = config.emb_layer_norm_before === true ? ops.layerNorm('embeddings.layer_norm', scaled) : scaled
  return ops.maskedTokens(normed)
}

function layer(ops: Builder, config: EsmConfig, table: readonly [Value, Value], name: string, x: Value): Value {
  const { hidden_size: hidden, num_attention_heads: heads } = config
  const projected = (path: string, states: Value, skip: Value) =>
    ops.residual(ops.dropout(ops.linear(`${name}.${path}.dense`, states, hidden), config.hidden_dropout_prob), skip)
  const attended = ops.frame(ops.layerNorm(`${name}.attention.LayerNorm`, x), normed => {
    const [query, key, value] = ['query', 'key', 'value'].map(part =>
      ops.linear(`${name}.attention.self.${part}`, normed, hidden),
    ) as [Value, Value, Value]
    const rotated = (states: Value) => ops.rotary(states, table, heads, { inFloat32: true })
    const context = ops.attention(rotated(ops.scale(query)), rotated(key), value, {
      heads,
      causal: false,
      dropout: config.attention_probs_dropout_prob,
    })
    return projected('attention.output', context, x)
  })
  return ops.frame(ops.layerNorm(`${name}.LayerNorm`, attended), normed => {
    const widened = gelu(ops, ops.linear(`${name}.intermediate.dense`, normed, config.intermediate_size))
    return projected('output', widened, attended)
  })
}

/** A function of Python, which holds its argument. */
function gelu(ops: Builder, x: Value): Value {
  return ops.frame(x, input => ops.geluErf(input))
}

export const esmFamily = family('encoder', esmConfig, esm, { linears: () => encoderLinears })
