/**
 * BART and its kin: an encoder and a decoder with learned or sinusoidal positions. transformers:
 * models/{bart,mbart,marian,pegasus,m2m_100}.
 */
import * as z from 'zod'
import type { Builder } from '../program/builder.ts'
import type { Value } from '../program/value.ts'
import { family, type ProgramTerms } from './family.ts'
import { functionalDropout } from './functional-dropout.ts'
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
const marianConfig = bartConfig.extend({
  model_type: z.literal('marian'),
  vocab_size: size.default(58_101),
  activation_function: z.enum(['gelu', 'relu', 'swish']).default('gelu'),
  share_encoder_decoder_embeddings: z
    .literal(true, { error: 'Marian with words of its own for each language is not supported' })
    .default(true),
})
const pegasusConfig = bartConfig.extend({ model_type: z.literal('pegasus') })
/** A step in which no layer is dropped needs most. */
const layersKept = probability.default(0).transform(() => 0)
const m2m100Config = bartConfig.extend({
  model_type: z.literal('m2m_100'),
  vocab_size: size.default(128_112),
  attention_dropout: probability.default(0.1),
  activation_function: z.enum(['gelu', 'relu']).default('relu'),
  scale_embedding: z.boolean().default(true),
  encoder_layerdrop: layersKept,
  decoder_layerdrop: layersKept,
})
type BartConfig = z.infer<typeof bartConfig | typeof marianConfig | typeof pegasusConfig | typeof m2m100Config>

interface Kin {
  /** Encoders of such layers also clamp what those return in float16; the others only what is not finite. */
  readonly normsBefore: boolean
  /** Learned positions have a norm behind their sum with the words. */
  readonly positions: 'learned' | 'parameter' | 'buffer'
  readonly hasLogitsBias: boolean
  /** Decoders fill their cache beside labels too, for which the others turn `use_cache` off. */
  readonly cachesBesideLabels?: true
}

const kin: Record<BartConfig['model_type'], Kin> = {
  bart: { normsBefore: false, positions: 'learned', hasLogitsBias: true },
  mbart: { normsBefore: true, positions: 'learned', hasLogitsBias: true },
  marian: { normsBefore: false, positions: 'parameter', hasLogitsBias: true },
  pegasus: { normsBefore: true, positions: 'parameter', hasLogitsBias: true },
  m2m_100: { normsBefore: true, positions: 'buffer', hasLogitsBias: false, cachesBesideLabels: true },
}

const WORDS = 'model.shared'
/** BartLearnedPositionalEmbedding: two rows before the first position. */
const POSITION_OFFSET = 2

/** `targetTokens`: of the labels, which shifted by one are the decoder's input. */
function bart(
  ops: Builder,
  config: BartConfig,
  { sequenceLength: tokens = 0, targetLength: targetTokens = tokens, step }: ProgramTerms,
): Value {
  const encoded = ops.returned(encode(ops, config))
  const caches = step !== 'training' || kin[config.model_type].cachesBesideLabels === true
  const decoded = decode(ops, config, encoded, { tokens: targetTokens, caches })
  const scores = ops.linear('lm_head', decoded, config.vocab_size, { bias: false, tiedTo: `${WORDS}.weight` })
  return kin[config.model_type].hasLogitsBias
    ? ops.add(scores, ops.constant('final_logits_bias', config.vocab_size))
    : scores
}

function encode(ops: Builder, config: BartConfig): Value {
  const name = 'model.encoder'
  const { encoder_attention_heads: heads, encoder_ffn_dim: inner } = config
  const words = embedded(ops, config, ops.input())
  const places =
    sinusoids(ops, config, name, words) ?? ops.lookedUpPositions(`${name}.embed_positions`, words, positionsOf(config))
  const encoded = ops.layers(
    placed(ops, config, name, words, places),
    `${name}.layers`,
    config.encoder_layers,
    (x, { name: layer }) =>
      ops.block(x, states => {
        const attended = sublayer(ops, config, `${layer}.self_attn_layer_norm`, states, input =>
          attention(ops, config, `${layer}.self_attn`, input, input, { heads, causal: false, caches: false }),
        )
        const output = feedForward(ops, config, layer, attended, inner)
        return kin[config.model_type].normsBefore ? ops.clampFloat16(output) : output
      }),
  )
  return atEnd(ops, config, name, encoded)
}

interface Decoding {
  readonly tokens: number
  /** Puts keys and values into a cache. */
  readonly caches: boolean
}

function decode(ops: Builder, config: BartConfig, encoded: Value, { tokens, caches }: Decoding): Value {
  const name = 'model.decoder'
  const { decoder_attention_heads: heads, decoder_ffn_dim: inner } = config
  const words = embedded(ops, config, ops.shiftedLabels())
  const places =
    sinusoids(ops, config, name, words) ??
    ops.constantEmbedding(`${name}.embed_positions`, positionsOf(config), config.d_model, tokens)
  const decoded = ops.layers(
    placed(ops, config, name, words, places),
    `${name}.layers`,
    config.decoder_layers,
    (x, { name: layer }) =>
      ops.block(
        x,
        states => {
          const attended = sublayer(ops, config, `${layer}.self_attn_layer_norm`, states, input =>
            attention(ops, config, `${layer}.self_attn`, input, input, { heads, causal: true, caches }),
          )
          const joined = sublayer(ops, config, `${layer}.encoder_attn_layer_norm`, attended, input =>
            attention(ops, config, `${layer}.encoder_attn`, input, encoded, { heads, causal: false, caches }),
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
  const sum = ops.add(words, places)
  const isNormed = kin[config.model_type].positions === 'learned'
  return ops.dropout(
    isNormed ? ops.layerNorm(`${name}.layernorm_embedding`, sum) : sum,
    config.dropout,
    functionalDropout,
  )
}

/** Undefined where positions are learned. */
function sinusoids(ops: Builder, config: BartConfig, name: string, words: Value): Value | undefined {
  const { max_position_embeddings: positions, model_type: type } = config
  const { positions: kind } = kin[type]
  if (kind === 'learned') return undefined
  const rows = kind === 'buffer' ? positionsOf(config) : positions
  return ops.sinusoids(`${name}.embed_positions`, words, rows, kind)
}

function positionsOf({ max_position_embeddings: positions }: BartConfig): number {
  return positions + POSITION_OFFSET
}

function atEnd(ops: Builder, config: BartConfig, name: string, x: Value): Value {
  return kin[config.model_type].normsBefore ? ops.layerNorm(`${name}.layer_norm`, x) : x
}

/** With its norm and its residual sum. */
function sublayer(ops: Builder, config: BartConfig, norm: string, x: Value, body: (input: Value) => Value): Value {
  const isBefore = kin[config.model_type].normsBefore
  const sum = ops.residual(
    ops.dropout(body(isBefore ? ops.layerNorm(norm, x) : x), config.dropout, functionalDropout),
    x,
  )
  return isBefore ? sum : ops.layerNorm(norm, sum)
}

function feedForward(ops: Builder, config: BartConfig, layer: string, x: Value, inner: number): Value {
  const { activation_function: activation, activation_dropout: dropout } = config
  return sublayer(ops, config, `${layer}.final_layer_norm`, x, input => {
    const widened = ops[activation === 'swish' ? 'silu' : activation](ops.linear(`${layer}.fc1`, input, inner))
    return ops.linear(`${layer}.fc2`, ops.dropout(widened, dropout, functionalDropout), config.d_model)
  })
}

function attention(
  ops: Builder,
  { d_model: hidden, attention_dropout: dropout }: BartConfig,
  name: string,
  x: Value,
  source: Value,
  { heads, causal, caches }: { readonly heads: number; readonly causal: boolean; readonly caches: boolean },
): Value {
  const query = ops.linear(`${name}.q_proj`, x, hidden)
  const [key, value] = [ops.linear(`${name}.k_proj`, source, hidden), ops.linear(`${name}.v_proj`, source, hidden)]
  const [k, v] = caches ? [ops.cached(key), ops.cached(value)] : [key, value]
  return ops.linear(
    `${name}.out_proj`,
    ops.attention(query, k, v, { heads, causal, dropout, isUnpadded: causal }),
    hidden,
  )
}

const linears = ['q_proj', 'k_proj', 'v_proj', 'out_proj', 'fc1', 'fc2']

export const bartFamily = family('encoder-decoder', bartConfig, bart, {
  linears: ({ model_type: type }) => ({
    all: linears,
    ...(type === 'bart' && { usual: ['q_proj', 'v_proj'] }),
  }),
  hasPositionTable: true,
})
export const marianFamily = family('encoder-decoder', marianConfig, bart, {
  linears: () => ({ all: linears }),
  hasPositionTable: true,
})
export const pegasusFamily = family('encoder-decoder', pegasusConfig, bart, {
  linears: () => ({ all: linears }),
  hasPositionTable: true,
})
/** Longer sequences get a larger table. */
export const m2m100Family = family('encoder-decoder', m2m100Config, bart, { linears: () => ({ all: linears }) })
