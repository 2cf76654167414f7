/**
 * BERT and its kin: encoders that normalise after each residual addition. transformers:
 * models/{bert,roberta,xlm_roberta,camembert,distilbert}.
 */
import * as z from 'zod'
import type { Builder } from '../program/builder.ts'
import type { Value } from '../program/value.ts'
import { family, type ProgramTerms } from './family.ts'
import type { Linears } from './linears.ts'
import { layerCount, probability, size } from './schema.ts'

export const encoderFields = z.object({
  vocab_size: size.default(30_522),
  hidden_size: size.default(768),
  num_hidden_layers: layerCount.default(12),
  num_attention_heads: size.default(12),
  intermediate_size: size.default(3_072),
  hidden_dropout_prob: probability.default(0.1),
  attention_probs_dropout_prob: probability.default(0.1),
  max_position_embeddings: size.default(512),
  type_vocab_size: size.default(2),
})

const bertConfig = encoderFields.extend({ model_type: z.literal('bert') })
const robertaConfig = encoderFields.extend({
  model_type: z.literal(['roberta', 'xlm-roberta', 'camembert']),
  vocab_size: size.default(50_265),
})

/** Same architecture under other names. */
const distilbertConfig = z.object({
  model_type: z.literal('distilbert'),
  vocab_size: size.default(30_522),
  dim: size.default(768),
  n_layers: layerCount.default(6),
  n_heads: size.default(12),
  hidden_dim: size.default(3_072),
  dropout: probability.default(0.1),
  attention_dropout: probability.default(0.1),
  qa_dropout: probability.default(0.1),
  seq_classif_dropout: probability.default(0.2),
  max_position_embeddings: size.default(512),
})

export type EncoderSizes = z.infer<typeof encoderFields>
type EncoderConfig = z.infer<typeof bertConfig> | z.infer<typeof robertaConfig>
type DistilbertConfig = z.infer<typeof distilbertConfig>

export const WORDS = 'embeddings.word_embeddings'

function bert(ops: Builder, config: EncoderConfig, { sequenceLength = 0, task, labels }: ProgramTerms): Value {
  const hidden = encode(ops, config, sequenceLength)
  if (task === 'masked-lm') return bertLanguageHead(ops, config, hidden)
  if (task === 'token-classification') return tokenClassifier(ops, hidden, config.hidden_dropout_prob, labels)
  if (task === 'question-answering') return answerSpan(ops, hidden)
  if (task === 'sentence-similarity') return withIdlePooler(ops, config.hidden_size, hidden)
  return config.model_type !== 'bert'
    ? robertaClassifier(ops, config, hidden, labels)
    : bertClassifier(ops, config, hidden, labels)
}

function encode(ops: Builder, config: EncoderConfig, tokens: number): Value {
  const width = config.hidden_size
  return encoderLayers(
    ops,
    config,
    embeddings(ops, config, { width, tokens, countsTokens: config.model_type !== 'bert' }),
  )
}

export interface Embeddings {
  /** Of a token's embedding. */
  readonly width: number
  readonly tokens: number
  /** RoBERTa counts the tokens that are not padding, so that every sample has positions of its own. */
  readonly countsTokens?: boolean
}

/** Words, types and positions of tokens, normalised. */
export function embeddings(
  ops: Builder,
  config: EncoderSizes,
  { width, tokens, countsTokens = false }: Embeddings,
): Value {
  const { max_position_embeddings: positions } = config
  ops.positionIds(positions)
  ops.positionIds(positions)
  const words = ops.withInputGradients(ops.embedding(WORDS, ops.input(), config.vocab_size, width))
  const types = ops.embedding('embeddings.token_type_embeddings', ops.input(), config.type_vocab_size, width)
  const places = countsTokens
    ? ops.embedding('embeddings.position_embeddings', ops.input(), positions, width)
    : ops.constantEmbedding('embeddings.position_embeddings', positions, width, tokens)
  const sum = ops.add(ops.add(words, types), places)
  return ops.dropout(ops.layerNorm('embeddings.LayerNorm', sum), config.hidden_dropout_prob)
}

/** `embedded`: BertModel.forward holds them as `embedding_output`. */
export function encoderLayers(ops: Builder, config: EncoderSizes, embedded: Value): Value {
  return ops.frame(embedded, x =>
    ops.layers(x, 'encoder.layer', config.num_hidden_layers, (states, { name }) =>
      ops.block(states, input => encoderLayer(ops, config, name, input)),
    ),
  )
}

function encoderLayer(ops: Builder, config: EncoderSizes, name: string, x: Value): Value {
  const [query, key, value] = ['query', 'key', 'value'].map(part =>
    ops.linear(`${name}.attention.self.${part}`, x, config.hidden_size),
  ) as [Value, Value, Value]
  const context = ops.attention(query, key, value, {
    heads: config.num_attention_heads,
    causal: false,
    dropout: config.attention_probs_dropout_prob,
  })
  const attended = residual(ops, config, `${name}.attention.output`, context, x)
  const widened = ops.gelu(ops.linear(`${name}.intermediate.dense`, attended, config.intermediate_size))
  return residual(ops, config, `${name}.output`, widened, attended)
}

/** BertSelfOutput, BertOutput. */
function residual(ops: Builder, config: EncoderSizes, name: string, x: Value, skip: Value): Value {
  return ops.frame(x, input => {
    const projected = ops.linear(`${name}.dense`, input, config.hidden_size)
    return ops.layerNorm(`${name}.LayerNorm`, ops.residual(ops.dropout(projected, config.hidden_dropout_prob), skip))
  })
}

/** BertForTokenClassification and its like in other encoders. */
export function tokenClassifier(ops: Builder, hidden: Value, dropout: number, labels: number): Value {
  return ops.linear('classifier', ops.dropout(hidden, dropout), labels)
}

/** The classes ForQuestionAnswering: how likely each token starts the answer, and ends it. */
export function answerSpan(ops: Builder, hidden: Value): Value {
  return ops.linear('qa_outputs', hidden, 2)
}

/** The base model's pooler, of which sentence-transformers takes nothing, so that it has no gradients. */
export function withIdlePooler(ops: Builder, width: number, hidden: Value, name = 'pooler.dense'): Value {
  ops.idle(width, x => ops.linear(name, x, width))
  return hidden
}

function bertClassifier(ops: Builder, config: EncoderConfig, hidden: Value, labels: number): Value {
  const pooled = ops.tanh(ops.linear('pooler.dense', ops.firstToken(hidden), config.hidden_size))
  return ops.linear('classifier', ops.dropout(pooled, config.hidden_dropout_prob), labels)
}

function robertaClassifier(ops: Builder, config: EncoderConfig, hidden: Value, labels: number): Value {
  const first = ops.dropout(ops.firstToken(hidden), config.hidden_dropout_prob)
  const dense = ops.tanh(ops.linear('classifier.dense', first, config.hidden_size))
  return ops.linear('classifier.out_proj', ops.dropout(dense, config.hidden_dropout_prob), labels)
}

function bertLanguageHead(ops: Builder, config: EncoderConfig, hidden: Value): Value {
  const transformed = ops.gelu(ops.linear('cls.transform.dense', hidden, config.hidden_size))
  const normalised = ops.layerNorm('cls.transform.LayerNorm', transformed)
  return ops.linear('cls.decoder', normalised, config.vocab_size, { tiedTo: `${WORDS}.weight` })
}

function distilbert(ops: Builder, config: DistilbertConfig, terms: ProgramTerms): Value {
  const positions = config.max_position_embeddings
  ops.positionIds(positions)
  const words = ops.withInputGradients(ops.embedding(WORDS, ops.input(), config.vocab_size, config.dim))
  const places = ops.constantEmbedding(
    'embeddings.position_embeddings',
    positions,
    config.dim,
    terms.sequenceLength ?? 0,
  )
  const embedded = ops.dropout(ops.layerNorm('embeddings.LayerNorm', ops.add(words, places)), config.dropout)
  // DistilBertModel.forward holds them as `embeddings`.
  const x = ops.frame(embedded, first =>
    ops.layers(first, 'transformer.layer', config.n_layers, (states, { name }) =>
      ops.block(states, input => distilbertLayer(ops, config, name, input)),
    ),
  )
  if (terms.task === 'masked-lm') return distilbertLanguageHead(ops, config, x)
  if (terms.task === 'token-classification') return tokenClassifier(ops, x, config.dropout, terms.labels)
  if (terms.task === 'question-answering') return answerSpan(ops, ops.dropout(x, config.qa_dropout))
  if (terms.task === 'sentence-similarity') return x
  const pooled = ops.relu(ops.linear('pre_classifier', ops.firstToken(x), config.dim))
  return ops.linear('classifier', ops.dropout(pooled, config.seq_classif_dropout), terms.labels)
}

function distilbertLayer(ops: Builder, config: DistilbertConfig, name: string, x: Value): Value {
  const [query, key, value] = ['q_lin', 'k_lin', 'v_lin'].map(part =>
    ops.linear(`${name}.attention.${part}`, x, config.dim),
  ) as [Value, Value, Value]
  const context = ops.attention(query, key, value, {
    heads: config.n_heads,
    causal: false,
    dropout: config.attention_dropout,
  })
  const projected = ops.linear(`${name}.attention.out_lin`, context, config.dim)
  const attended = ops.frame(projected, input => ops.layerNorm(`${name}.sa_layer_norm`, ops.add(input, x)))
  const widened = ops.gelu(ops.linear(`${name}.ffn.lin1`, attended, config.hidden_dim))
  const narrowed = ops.dropout(ops.linear(`${name}.ffn.lin2`, widened, config.dim), config.dropout)
  return ops.layerNorm(`${name}.output_layer_norm`, ops.residual(narrowed, attended))
}

function distilbertLanguageHead(ops: Builder, config: DistilbertConfig, hidden: Value): Value {
  const transformed = ops.gelu(ops.linear('vocab_transform', hidden, config.dim))
  const normalised = ops.layerNorm('vocab_layer_norm', transformed)
  return ops.linear('vocab_projector', normalised, config.vocab_size, { tiedTo: `${WORDS}.weight` })
}

export const encoderLinears: Linears = {
  all: ['query', 'key', 'value', 'dense'],
  usual: ['query', 'value'],
  head: ['classifier'],
}
/** peft knows no usual targets of CamemBERT. */
const withoutUsual: Linears = { all: encoderLinears.all, head: ['classifier'] }
const distilbertLinears: Linears = {
  all: ['q_lin', 'k_lin', 'v_lin', 'out_lin', 'lin1', 'lin2'],
  head: ['pre_classifier', 'classifier'],
}

export const bertFamily = family('encoder', bertConfig, bert, { linears: () => encoderLinears, hasPositionTable: true })
/** RoBERTa counts positions from padding_idx + 1, so the first rows of its table are never reached. */
export const robertaFamily = family('encoder', robertaConfig, bert, {
  linears: ({ model_type: type }) => (type === 'camembert' ? withoutUsual : encoderLinears),
  hasPositionTable: true,
  unreachedPositions: 2,
})
export const distilbertFamily = family('encoder', distilbertConfig, distilbert, {
  linears: () => distilbertLinears,
  hasPositionTable: true,
})
