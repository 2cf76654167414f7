/**
 * ModernBERT: an encoder that normalises before each part, with rotary positions, gated feed-forwards and a sliding window in two
 * layers of three. transformers: models/modernbert.
 */
import * as z from 'zod'
import type { Builder } from '../program/builder.ts'
import type { Value } from '../program/value.ts'
import { activate } from './decoders/feed-forward.ts'
import { family, type ProgramTerms } from './family.ts'
import { layerCount, probability, size } from './schema.ts'

const modernbertConfig = z.object({
  model_type: z.literal('modernbert'),
  vocab_size: size.default(50_368),
  hidden_size: size.default(768),
  intermediate_size: size.default(1_152),
  num_hidden_layers: layerCount.default(22),
  num_attention_heads: size.default(12),
  max_position_embeddings: size.default(8_192),
  norm_bias: z.boolean().default(false),
  attention_bias: z.boolean().default(false),
  mlp_bias: z.boolean().default(false),
  decoder_bias: z.boolean().default(true),
  classifier_bias: z.boolean().default(false),
  classifier_pooling: z.enum(['cls', 'mean']).default('cls'),
  attention_dropout: probability.default(0),
  embedding_dropout: probability.default(0),
  mlp_dropout: probability.default(0),
  classifier_dropout: probability.default(0),
  /** Tokens around one that it attends to in a sliding layer. */
  local_attention: size.default(128),
  global_attn_every_n_layers: size.default(3),
  layer_types: z
    .array(z.enum(['sliding_attention', 'full_attention']))
    .max(10_000)
    .nullish(),
})
type ModernbertConfig = z.infer<typeof modernbertConfig>

const WORDS = 'model.embeddings.tok_embeddings'

function modernbert(ops: Builder, config: ModernbertConfig, { task, labels }: ProgramTerms): Value {
  const words = ops.withInputGradients(ops.embedding(WORDS, ops.input(), config.vocab_size, config.hidden_size))
  const embedded = ops.dropout(norm(ops, config, 'model.embeddings.norm', words), config.embedding_dropout)
  const headSize = config.hidden_size / config.num_attention_heads
  const tables = {
    full_attention: ops.rotaryTable(embedded, headSize),
    sliding_attention: ops.rotaryTable(embedded, headSize),
  }
  const kinds = Array.from({ length: config.num_hidden_layers }, (_, index) => kindOf(config, index))
  const namedFirst = kinds.map((kind, index) => (index === 0 ? `first ${kind}` : kind))
  // ModernBertModel.forward holds them in `mask_kwargs`.
  const x = ops.frame(embedded, first =>
    ops.layers(first, 'model.layers', namedFirst, (states, { name, index }) => {
      const kind = kindOf(config, index)
      const window = kind === 'full_attention' ? undefined : Math.floor(config.local_attention / 2) + 1
      return ops.block(states, input =>
        encoderLayer(ops, config, input, { name, isFirst: index === 0, table: tables[kind], window }),
      )
    }),
  )
  const output = norm(ops, config, 'model.final_norm', x)
  if (task === 'sentence-similarity') return output
  if (task === 'masked-lm') return languageHead(ops, config, output)
  const classified =
    task === 'token-classification' || task === 'question-answering' ? output : pooled(ops, config, output)
  return ops.linear('classifier', ops.dropout(head(ops, config, classified), config.classifier_dropout), labels)
}

function pooled(ops: Builder, { classifier_pooling: pooling }: ModernbertConfig, output: Value): Value {
  return pooling === 'cls' ? ops.firstToken(output) : ops.meanOfTokens(output)
}

function kindOf({ layer_types: types, global_attn_every_n_layers: every }: ModernbertConfig, index: number) {
  return types?.[index] ?? (index % every === 0 ? 'full_attention' : 'sliding_attention')
}

interface Layer {
  readonly name: string
  readonly isFirst: boolean
  readonly table: readonly [Value, Value]
  readonly window: number | undefined
}

/** The embeddings are normalised already: the first layer goes without a norm before its attention. */
function encoderLayer(ops: Builder, config: ModernbertConfig, x: Value, layer: Layer): Value {
  const { name, isFirst } = layer
  const before = isFirst ? x : norm(ops, config, `${name}.attn_norm`, x)
  const mixed = ops.local(ops.frame(before, input => attention(ops, config, `${name}.attn`, input, layer)))
  const between = ops.add(x, mixed)
  const forFeeding = norm(ops, config, `${name}.mlp_norm`, between)
  return ops.add(
    between,
    ops.frame(forFeeding, input => feedForward(ops, config, `${name}.mlp`, input)),
  )
}

function attention(ops: Builder, config: ModernbertConfig, name: string, x: Value, { table, window }: Layer): Value {
  const { hidden_size: hidden, num_attention_heads: heads, attention_dropout: dropout } = config
  const bias = config.attention_bias
  const joined = ops.linear(`${name}.Wqkv`, x, 3 * hidden, { bias })
  const [query, key, value] = ops.split(joined, [hidden, hidden, hidden]) as [Value, Value, Value]
  const [q, k] = [query, key].map(states => ops.rotary(states, table, heads, { inFloat32: true })) as [Value, Value]
  const context = ops.attention(q, k, value, { heads, causal: false, dropout, window, castsSoftmax: true })
  return ops.dropout(ops.linear(`${name}.Wo`, context, hidden, { bias }), dropout)
}

function feedForward(ops: Builder, config: ModernbertConfig, name: string, x: Value): Value {
  const { hidden_size: hidden, intermediate_size: inner, mlp_bias: bias } = config
  const joined = ops.linear(`${name}.Wi`, x, 2 * inner, { bias })
  const [input, gate] = ops.split(joined, [inner, inner]) as [Value, Value]
  const product = ops.dropout(ops.multiply(activate(ops, 'gelu', input), gate), config.mlp_dropout)
  return ops.linear(`${name}.Wo`, product, hidden, { bias })
}

function head(ops: Builder, config: ModernbertConfig, x: Value): Value {
  const dense = ops.linear('head.dense', x, config.hidden_size, { bias: config.classifier_bias })
  return norm(ops, config, 'head.norm', ops.gelu(dense))
}

/** loss_utils.py ForMaskedLMLoss works on float32 logits. */
function languageHead(ops: Builder, config: ModernbertConfig, x: Value): Value {
  const decoder = { bias: config.decoder_bias, tiedTo: `${WORDS}.weight` }
  return ops.float32(ops.linear('decoder', head(ops, config, x), config.vocab_size, decoder))
}

function norm(ops: Builder, { norm_bias: bias }: ModernbertConfig, name: string, x: Value): Value {
  return ops.layerNorm(name, x, { bias })
}

export const modernbertFamily = family('encoder', modernbertConfig, modernbert, {
  linears: () => ({ all: ['Wqkv', 'Wi', 'Wo', 'dense'], head: ['classifier'] }),
})
