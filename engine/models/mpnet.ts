/**
 * MPNet: BERT with one table of relative positions for all layers, whose values every sample has a copy of. transformers: models/mpnet,
 * which composes its attention itself.
 */
import * as z from 'zod'
import type { Builder } from '../program/builder.ts'
import type { Value } from '../program/value.ts'
import { answerSpan, encoderFields, tokenClassifier, WORDS, withIdlePooler } from './bert.ts'
import { family, type ProgramTerms } from './family.ts'
import { size } from './schema.ts'

const mpnetConfig = encoderFields.omit({ type_vocab_size: true }).extend({
  model_type: z.literal('mpnet'),
  vocab_size: size.default(30_527),
  relative_attention_num_buckets: size.default(32),
})
type MpnetConfig = z.infer<typeof mpnetConfig>

function mpnet(ops: Builder, config: MpnetConfig, { sequenceLength = 0, task, labels }: ProgramTerms): Value {
  const { hidden_size: hidden, hidden_dropout_prob: dropout } = config
  const states = encode(ops, config, sequenceLength)
  if (task === 'sentence-similarity') return withIdlePooler(ops, hidden, states)
  if (task === 'token-classification') return tokenClassifier(ops, states, dropout, labels)
  if (task === 'question-answering') return answerSpan(ops, states)
  if (task === 'masked-lm') {
    const dense = ops.gelu(ops.linear('lm_head.dense', states, hidden))
    const normalised = ops.layerNorm('lm_head.layer_norm', dense)
    return ops.linear('lm_head.decoder', normalised, config.vocab_size, { tiedTo: `${WORDS}.weight` })
  }
  const first = ops.dropout(ops.firstToken(states), dropout)
  const dense = ops.tanh(ops.linear('classifier.dense', first, hidden))
  return ops.linear('classifier.out_proj', ops.dropout(dense, dropout), labels)
}

function encode(ops: Builder, config: MpnetConfig, tokens: number): Value {
  const { max_position_embeddings: positions, hidden_size: hidden, num_attention_heads: heads } = config
  ops.positionIds(positions)
  const words = ops.withInputGradients(ops.embedding(WORDS, ops.input(), config.vocab_size, hidden))
  const places = ops.embedding('embeddings.position_embeddings', ops.input(), positions, hidden)
  const normed = ops.layerNorm('embeddings.LayerNorm', ops.add(words, places))
  return ops.frame(ops.dropout(normed, config.hidden_dropout_prob), embedded => {
    const table = 'encoder.relative_attention_bias'
    const bias = ops.local(
      ops.relativePositionBias(table, config.relative_attention_num_buckets, heads, tokens, { perSample: true }),
    )
    return ops.layers(embedded, 'encoder.layer', config.num_hidden_layers, (states, { name }) =>
      ops.block(states, x => layer(ops, config, name, x, bias), [bias]),
    )
  })
}

function layer(ops: Builder, config: MpnetConfig, name: string, x: Value, bias: Value): Value {
  const { hidden_size: hidden, hidden_dropout_prob: dropout } = config
  const attended = ops.frame(x, input => {
    const projected = ops.frame(input, states => attention(ops, config, `${name}.attention.attn`, states, bias))
    const sum = ops.residual(ops.dropout(projected, dropout), input)
    return ops.layerNorm(`${name}.attention.LayerNorm`, sum)
  })
  const widened = ops.gelu(ops.linear(`${name}.intermediate.dense`, attended, config.intermediate_size))
  return ops.frame(widened, input => {
    const projected = ops.linear(`${name}.output.dense`, input, hidden)
    return ops.layerNorm(`${name}.output.LayerNorm`, ops.residual(ops.dropout(projected, dropout), attended))
  })
}

function attention(ops: Builder, config: MpnetConfig, name: string, x: Value, bias: Value): Value {
  const { hidden_size: hidden, num_attention_heads: heads, attention_probs_dropout_prob: dropout } = config
  const [query, key, value] = ['q', 'k', 'v'].map(part => ops.local(ops.linear(`${name}.${part}`, x, hidden))) as [
    Value,
    Value,
    Value,
  ]
  const shape = { heads, causal: false, dropout, composesInPlace: true }
  return ops.linear(`${name}.o`, ops.attention(query, key, value, shape, bias), hidden)
}

/** Positions are counted as RoBERTa's. */
export const mpnetFamily = family('encoder', mpnetConfig, mpnet, {
  linears: () => ({ all: ['q', 'k', 'v', 'o', 'dense'], head: ['classifier'] }),
  hasPositionTable: true,
  unreachedPositions: 2,
  withoutCheckpointing: true,
})
