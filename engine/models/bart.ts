/** BART and mBART: an encoder and a decoder with learned positions. transformers: models/{bart,mbart}. */
import * as z from 'zod'
import type { Builder } from '../program/builder.ts'
import type { Value } from '../program/program.ts'
import { family, type ProgramTerms } from './family.ts'
import { layerCount, probability, size } from './schema.ts'

const bartConfig = z.object({
  /** mBART puts a norm before each sublayer and at the end of its stacks; BART has one behind each. */
  model_type: z.literal(['bart', 'mbart']),
  vocab_size: size.default(50_265),
  d_model: size.default(1_024),
  encoder_layers: layerCount.default(12),
  encoder_attention_heads: size.default(16),
  encoder_ffn_dim: size.default(4_096),
  decoder_layers: layerCount.default(12),
  decoder_attention_heads: size.default(16),
  decoder_ffn_dim: size.default(4_096),
  max_position_embeddings: size.default(1_024),
  dropout: probability.default(0.1),
  attention_dropout: probability.default(0),
  activation_dropout: probability.default(0),
  activation_function: z.enum(['gelu', 'relu']).default('gelu'),
  scale_embedding: z.boolean().default(false),
})
type BartConfig = z.infer<typeof bartConfig>

const WORDS = 'model.shared'
/** BartLearnedPositionalEmbedding: two rows before the first position. */
const POSITION_OFFSET = 2

/** `targetTokens`: of the labels, which shifted by one are the decoder's input. */
function bart(
  ops: Builder,
  config: BartConfig,
  { sequenceLength: tokens = 0, targetLength: targetTokens = tokens }: ProgramTerms,
): Value {
  const encoded = ops.returned(encode(ops, config))
  const decoded = decode(ops, config, targetTokens, encoded)
  const scores = ops.linear('lm_head', decoded, config.vocab_size, { bias: false, tiedTo: `${WORDS}.weight` })
  return ops.add(scores, ops.constant('final_logits_bias', config.vocab_size))
}

function encode(ops: Builder, config: BartConfig): Value {
  const name = 'model.encoder'
  const { encoder_attention_heads: heads, encoder_ffn_dim: inner } = config
  const words = embedded(ops, config, ops.input())
  const places = ops.lookedUpPositions(`${name}.embed_positions`, words, positionsOf(config))
  const encoded = ops.layers(
    placed(ops, config, name, words, places),
    `${name}.layers`,
    config.encoder_layers,
    (x, { name: layer }) =>
      ops.block(x, states => {
        const attended = sublayer(ops, config, `${layer}.self_attn_layer_norm`, states, input =>
          attention(ops, config, `${layer}.self_attn`, input, input, { heads, causal: false }),
        )
        return feedForward(ops, config, layer, attended, inner)
      }),
  )
  return atEnd(ops, config, name, encoded)
}

function decode(ops: Builder, config: BartConfig, tokens: number, encoded: Value): Value {
  const name = 'model.decoder'
  const { decoder_attention_heads: heads, decoder_ffn_dim: inner } = config
  const words = embedded(ops, config, ops.shiftedLabels())
  const places = ops.constantEmbedding(`${name}.embed_positions`, positionsOf(config), config.d_model, tokens)
  const decoded = ops.layers(
    placed(ops, config, name, words, places),
    `${name}.layers`,
    config.decoder_layers,
    (x, { name: layer }) =>
      ops.block(
        x,
        states => {
          const attended = sublayer(ops, config, `${layer}.self_attn_layer_norm`, states, input =>
            attention(ops, config, `${layer}.self_attn`, input, input, { heads, causal: true }),
          )
          const joined = sublayer(ops, config, `${layer}.encoder_attn_layer_norm`, attended, input =>
            attention(ops, config, `${layer}.encoder_attn`, input, encoded, { heads, causal: false }),
          )
          return feedForward(ops, config, layer, joined, inner)
        },
        [encoded],
      ),
  )
  return atEnd(ops, config, name, decoded)
}

function embedded(ops: Builder, config: BartConfig, ids: Value): Value {
  return ops.withInputGradients(ops.scale(ops.embedding(WORDS, ids, config.vocab_size, config.d_model)))
}

function placed(ops: Builder, config: BartConfig, name: string, words: Value, places: Value): Value {
  return ops.dropout(ops.layerNorm(`${name}.layernorm_embedding`, ops.add(words, places)), config.dropout)
}

function positionsOf({ max_position_embeddings: positions }: BartConfig): number {
  return positions + POSITION_OFFSET
}

function atEnd(ops: Builder, config: BartConfig, name: string, x: Value): Value {
  return config.model_type === 'mbart' ? ops.layerNorm(`${name}.layer_norm`, x) : x
}

/** With its norm and its residual sum. */
function sublayer(ops: Builder, config: BartConfig, norm: string, x: Value, body: (input: Value) => Value): Value {
  const isBefore = config.model_type === 'mbart'
  const sum = ops.residual(ops.dropout(body(isBefore ? ops.layerNorm(norm, x) : x), config.dropout), x)
  return isBefore ? sum : ops.layerNorm(norm, sum)
}

function feedForward(ops: Builder, config: BartConfig, layer: string, x: Value, inner: number): Value {
  const { activation_function: activation, activation_dropout: dropout } = config
  return sublayer(ops, config, `${layer}.final_layer_norm`, x, input => {
    const widened = ops[activation](ops.linear(`${layer}.fc1`, input, inner))
    return ops.linear(`${layer}.fc2`, ops.dropout(widened, dropout), config.d_model)
  })
}

function attention(
  ops: Builder,
  { d_model: hidden, attention_dropout: dropout }: BartConfig,
  name: string,
  x: Value,
  source: Value,
  shape: { readonly heads: number; readonly causal: boolean },
): Value {
  const query = ops.linear(`${name}.q_proj`, x, hidden)
  const [key, value] = [ops.linear(`${name}.k_proj`, source, hidden), ops.linear(`${name}.v_proj`, source, hidden)]
  return ops.linear(`${name}.out_proj`, ops.attention(query, key, value, { ...shape, dropout }), hidden)
}

export const bartFamily = family('encoder-decoder', bartConfig, bart, {
  linears: ({ model_type: type }) => ({
    all: ['q_proj', 'k_proj', 'v_proj', 'out_proj', 'fc1', 'fc2'],
    ...(type === 'bart' && { usual: ['q_proj', 'v_proj'] }),
  }),
  hasPositionTable: true,
})
