/** T5, FLAN-T5 and mT5: an encoder and a decoder with learned relative positions. transformers: models/{t5,mt5}. */
import * as z from 'zod'
import type { Builder } from '../program/builder.ts'
import type { AttentionShape } from '../program/ops/mixers.ts'
import type { Value } from '../program/value.ts'
import { isBefore, type LibraryVersions } from '../training/versions.ts'
import { family, type ProgramTerms } from './family.ts'
import { layerCount, probability, size } from './schema.ts'

const t5Config = z.object({
  model_type: z.literal(['t5', 'mt5']),
  vocab_size: size.default(32_128),
  d_model: size.default(512),
  /** Of one head; all heads together may be narrower or wider than `d_model`. */
  d_kv: size.default(64),
  d_ff: size.default(2_048),
  num_layers: layerCount.default(6),
  num_decoder_layers: layerCount.nullish(),
  num_heads: size.default(8),
  relative_attention_num_buckets: size.default(32),
  dropout_rate: probability.default(0.1),
  feed_forward_proj: z.enum(['relu', 'gated-gelu']).default('relu'),
  /** False from T5 1.1 on. transformers 5 ties the weights all the same, and scales the decoder's output only when true. */
  tie_word_embeddings: z.boolean().default(true),
  /** Tokens of the pre-training; relative positions set no limit. */
  n_positions: size.default(512),
})
type T5Config = z.infer<typeof t5Config>

const WORDS = 'shared.weight'

/** `targetTokens`: of the labels, which shifted by one are the decoder's input. */
function t5(
  ops: Builder,
  config: T5Config,
  { sequenceLength: tokens = 0, targetLength: targetTokens = tokens, versions }: ProgramTerms,
): Value {
  const encoder: Stack = { config, name: 'encoder', ids: ops.input(), tokens, layers: config.num_layers }
  const encoded = ops.returned(runStack(ops, encoder))
  const decoder: Stack = {
    config,
    name: 'decoder',
    ids: ops.shiftedLabels(),
    tokens: targetTokens,
    layers: config.num_decoder_layers ?? config.num_layers,
    source: { encoded, tokens },
  }
  const decoded = ops.local(runStack(ops, decoder))
  const output = config.tie_word_embeddings ? ops.scale(decoded) : decoded
  const tied = hasOwnOutput(config, versions) ? {} : { tiedTo: WORDS }
  return ops.linear('lm_head', output, config.vocab_size, { bias: false, ...tied })
}

/** Whether the output layer has weights of its own: from T5 1.1 on, before transformers 5. */
export function hasOwnOutput({ tie_word_embeddings: isTied }: T5Config, versions?: LibraryVersions): boolean {
  return !isTied && isBefore(versions, 'transformers', '5.0')
}

interface Stack {
  readonly config: T5Config
  readonly name: string
  readonly ids: Value
  readonly tokens: number
  readonly layers: number
  /** What a decoder attends to beside itself. */
  readonly source?: { readonly encoded: Value; readonly tokens: number }
}

function runStack(ops: Builder, { config, name, ids, tokens, layers, source }: Stack): Value {
  const { num_heads: heads, relative_attention_num_buckets: buckets, dropout_rate: dropout } = config
  const words = ops.withInputGradients(ops.embedding('shared', ids, config.vocab_size, config.d_model))
  const table = `${name}.block.0.layer.0.SelfAttention.relative_attention_bias`
  const positionBiases = () => ({
    own: ops.local(ops.relativePositionBias(table, buckets, heads, tokens)),
    ofSource: source && ops.local(ops.zeroPositionBias(heads, tokens, source.tokens)),
  })
  // The first block makes them, and hands them on to the others.
  const kinds = Array.from({ length: layers }, (_, index) => (index === 0 ? 'first' : 'later'))
  let biases: ReturnType<typeof positionBiases> | undefined
  let x = ops.dropout(words, dropout)
  x = ops.layers(x, `${name}.block`, kinds, (states, { name: block }) =>
    ops.block(
      states,
      input => {
        biases ??= positionBiases()
        const { own: bias, ofSource } = biases
        const causal = source !== undefined
        const attended = ops.clampFloat16(selfAttention(ops, config, `${block}.layer.0`, input, { causal, bias }))
        const joined =
          source && ofSource
            ? ops.clampFloat16(crossAttention(ops, config, `${block}.layer.1`, attended, source.encoded, ofSource))
            : attended
        return ops.clampFloat16(feedForward(ops, config, `${block}.layer.${source ? 2 : 1}`, joined))
      },
      [source?.encoded, biases?.own, biases?.ofSource].filter(value => value !== undefined),
    ),
  )
  return ops.dropout(norm(ops, config, `${name}.final_layer_norm`, x), dropout)
}

function selfAttention(
  ops: Builder,
  config: T5Config,
  name: string,
  x: Value,
  { causal, bias }: { causal: boolean; bias: Value },
): Value {
  return sublayer(ops, config, name, x, normalised =>
    attention(ops, config, `${name}.SelfAttention`, normalised, normalised, { causal, caches: causal, bias }),
  )
}

function crossAttention(ops: Builder, config: T5Config, name: string, x: Value, source: Value, bias: Value): Value {
  return sublayer(ops, config, name, x, normalised =>
    attention(ops, config, `${name}.EncDecAttention`, normalised, source, { causal: false, caches: true, bias }),
  )
}

/** Each with its norm before and its residual sum behind. */
function sublayer(ops: Builder, config: T5Config, name: string, x: Value, body: (normalised: Value) => Value): Value {
  return ops.frame(x, input => {
    const result = ops.frame(norm(ops, config, `${name}.layer_norm`, input), body)
    return ops.residual(ops.dropout(result, config.dropout_rate), input)
  })
}

interface Attended {
  readonly causal: boolean
  /** Decoders put keys and values into a cache. */
  readonly caches: boolean
  readonly bias: Value
}

function attention(
  ops: Builder,
  config: T5Config,
  name: string,
  x: Value,
  source: Value,
  { causal, caches, bias }: Attended,
): Value {
  const { num_heads: heads, d_kv: headSize, dropout_rate: dropout } = config
  const project = (part: string, from: Value) => ops.linear(`${name}.${part}`, from, heads * headSize, { bias: false })
  const [query, key, value] = [project('q', x), project('k', source), project('v', source)]
  const [k, v] = caches ? [ops.cached(key), ops.cached(value)] : [key, value]
  const shape: AttentionShape = { heads, causal, dropout, isUnpadded: causal }
  return ops.linear(`${name}.o`, ops.attention(query, k, v, shape, bias), config.d_model, { bias: false })
}

function feedForward(ops: Builder, config: T5Config, name: string, x: Value): Value {
  const module = `${name}.DenseReluDense`
  return sublayer(ops, config, name, x, normalised => {
    const widen = (part: string) => ops.linear(`${module}.${part}`, normalised, config.d_ff, { bias: false })
    const widened =
      config.feed_forward_proj === 'relu'
        ? ops.relu(widen('wi'))
        : ops.multiply(ops.geluNew(widen('wi_0')), widen('wi_1'))
    const dropped = ops.dropout(widened, config.dropout_rate)
    return ops.linear(`${module}.wo`, dropped, config.d_model, { bias: false, castsInput: true })
  })
}

function norm(ops: Builder, config: T5Config, name: string, x: Value): Value {
  return ops.rmsNorm(name, x, { size: config.d_model, scalesInFloat32: false, scalesInput: true })
}

export const t5Family = family('encoder-decoder', t5Config, t5, {
  linears: ({ feed_forward_proj: projection }) => ({
    all: ['q', 'k', 'v', 'o', ...(projection === 'relu' ? ['wi'] : ['wi_0', 'wi_1']), 'wo'],
    usual: ['q', 'v'],
  }),
  generation: config => ({
    decoderLayers: config.num_decoder_layers ?? config.num_layers,
    width: config.d_kv * config.num_heads,
    hidden: config.d_model,
    vocabulary: config.vocab_size,
  }),
})
