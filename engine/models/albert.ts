/** ALBERT: BERT with narrow embeddings, whose layers share their weights. transformers: models/albert. */
import * as z from 'zod'
import type { Builder } from '../program/builder.ts'
import type { Value } from '../program/value.ts'
import { answerSpan, embeddings, encoderFields, tokenClassifier, WORDS, withIdlePooler } from './bert.ts'
import { family, type ProgramTerms } from './family.ts'
import { probability, size } from './schema.ts'

const albertConfig = encoderFields.extend({
  model_type: z.literal('albert'),
  vocab_size: size.default(30_000),
  embedding_size: size.default(128),
  hidden_size: size.default(4_096),
  num_attention_heads: size.default(64),
  intermediate_size: size.default(16_384),
  hidden_act: z.enum(['gelu', 'gelu_new', 'relu']).default('gelu_new'),
  hidden_dropout_prob: probability.default(0),
  attention_probs_dropout_prob: probability.default(0),
  classifier_dropout_prob: probability.default(0.1),
  num_hidden_groups: z.literal(1, { error: 'ALBERT with several groups of layers is not supported' }).default(1),
  inner_group_num: z.literal(1, { error: 'ALBERT with several layers in a group is not supported' }).default(1),
})
type AlbertConfig = z.infer<typeof albertConfig>

function albert(ops: Builder, config: AlbertConfig, { sequenceLength: tokens = 0, task, labels }: ProgramTerms): Value {
  const { hidden_size: hidden, embedding_size: width, classifier_dropout_prob: dropout } = config
  const states = stack(ops, config, embeddings(ops, config, { width, tokens }))
  if (task === 'token-classification') return tokenClassifier(ops, states, dropout, labels)
  if (task === 'question-answering') return answerSpan(ops, states)
  if (task === 'sentence-similarity') return withIdlePooler(ops, hidden, states, 'pooler')
  if (task === 'masked-lm') {
    const narrowed = activated(ops, config, ops.linear('predictions.dense', states, width))
    const normalised = ops.layerNorm('predictions.LayerNorm', narrowed)
    return ops.linear('predictions.decoder', normalised, config.vocab_size, { tiedTo: `${WORDS}.weight` })
  }
  const pooled = ops.tanh(ops.linear('pooler', ops.firstToken(states), hidden))
  return ops.linear('classifier', ops.dropout(pooled, dropout), labels)
}

/** AlbertModel.forward holds the embeddings as `embedding_output`. */
function stack(ops: Builder, config: AlbertConfig, embedded: Value): Value {
  return ops.frame(embedded, input => {
    let x = ops.linear('encoder.embedding_hidden_mapping_in', input, config.hidden_size)
    for (let index = 0; index < config.num_hidden_layers; index++)
      x = ops.block(x, states => layer(ops, config, states))
    return x
  })
}

function layer(ops: Builder, config: AlbertConfig, x: Value): Value {
  const name = 'encoder.albert_layer_groups.0.albert_layers.0'
  const attended = ops.frame(x, input => attention(ops, config, `${name}.attention`, input))
  const widened = activated(ops, config, ops.linear(`${name}.ffn`, attended, config.intermediate_size))
  const narrowed = ops.linear(`${name}.ffn_output`, widened, config.hidden_size)
  return ops.layerNorm(`${name}.full_layer_layer_norm`, ops.residual(narrowed, attended))
}

function attention(ops: Builder, config: AlbertConfig, name: string, x: Value): Value {
  const [query, key, value] = ['query', 'key', 'value'].map(part =>
    ops.linear(`${name}.${part}`, x, config.hidden_size),
  ) as [Value, Value, Value]
  const context = ops.attention(query, key, value, {
    heads: config.num_attention_heads,
    causal: false,
    dropout: config.attention_probs_dropout_prob,
  })
  const projected = ops.dropout(ops.linear(`${name}.dense`, context, config.hidden_size), config.hidden_dropout_prob)
  return ops.layerNorm(`${name}.LayerNorm`, ops.residual(projected, x))
}

function activated(ops: Builder, { hidden_act: activation }: AlbertConfig, x: Value): Value {
  return activation === 'gelu_new' ? ops.geluNew(x) : ops[activation](x)
}

export const albertFamily = family('encoder', albertConfig, albert, {
  linears: () => ({
    all: ['embedding_hidden_mapping_in', 'query', 'key', 'value', 'dense', 'ffn', 'ffn_output', 'pooler'],
    head: ['classifier'],
  }),
  hasPositionTable: true,
  withoutCheckpointing: true,
})
