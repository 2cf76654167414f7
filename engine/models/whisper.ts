/**
 * Whisper: an encoder of half a minute of sound and a decoder of its transcript, which is what a sequence is here.
 * transformers: models/whisper.
 */
import * as z from 'zod'
import type { Builder } from '../program/builder.ts'
import type { Value } from '../program/value.ts'
import { family } from './family.ts'
import { functionalDropout } from './functional-dropout.ts'
import { layerCount, probability, size } from './schema.ts'

const whisperConfig = z.object({
  model_type: z.literal('whisper'),
  vocab_size: size.default(51_865),
  num_mel_bins: size.default(80),
  d_model: size.default(384),
  encoder_layers: layerCount.default(4),
  encoder_attention_heads: size.default(6),
  encoder_ffn_dim: size.default(1_536),
  decoder_layers: layerCount.default(4),
  decoder_attention_heads: size.default(6),
  decoder_ffn_dim: size.default(1_536),
  max_source_positions: size.default(1_500),
  max_target_positions: size.default(448),
  dropout: probability.default(0),
  attention_dropout: probability.default(0),
  activation_dropout: probability.default(0),
})
type WhisperConfig = z.infer<typeof whisperConfig>

const WORDS = 'model.decoder.embed_tokens'
/** Frames that a convolution sees, and that the second of them steps over. */
const KERNEL = 3
const STRIDE = 2
/** generation_whisper.py: the spectrograms of the batch, of its segments, and of those that the model is given. */
const SPECTROGRAMS = 3
const FLOAT32_BYTES = 4

function whisper(ops: Builder, config: WhisperConfig): Value {
  const decoded = decode(ops, config, encode(ops, config))
  return ops.linear('proj_out', decoded, config.vocab_size, {
    bias: false,
    isQuantizable: false,
    tiedTo: `${WORDS}.weight`,
  })
}

function encode(ops: Builder, config: WhisperConfig): Value {
  const { d_model: hidden, max_source_positions: positions } = config
  const name = 'model.encoder'
  const sound = ops.spectrogram(config.num_mel_bins, STRIDE * positions)
  const first = ops.withInputGradients(ops.conv1d(`${name}.conv1`, sound, hidden, { kernel: KERNEL, stride: 1 }))
  const second = ops.conv1d(`${name}.conv2`, ops.gelu(first), hidden, { kernel: KERNEL, stride: STRIDE })
  const sinusoids = () => ops.constantEmbedding(`${name}.embed_positions`, positions, hidden, positions)
  // They are never trained.
  ops.idle(hidden, sinusoids)
  const placed = ops.dropout(ops.add(ops.framesFirst(ops.gelu(second)), sinusoids()), config.dropout, functionalDropout)
  const { encoder_attention_heads: heads, encoder_ffn_dim: inner } = config
  const encoded = ops.layers(placed, `${name}.layers`, config.encoder_layers, (states, { name: layer }) =>
    ops.block(states, input => {
      const attended = sublayer(ops, config, `${layer}.self_attn_layer_norm`, input, normed =>
        attention(ops, config, `${layer}.self_attn`, normed, normed, { heads, causal: false, caches: false }),
      )
      const output = sublayer(ops, config, `${layer}.final_layer_norm`, attended, normed =>
        feedForward(ops, config, layer, normed, inner),
      )
      return ops.clampFloat16(output)
    }),
  )
  return ops.returned(ops.layerNorm(`${name}.layer_norm`, encoded))
}

function decode(ops: Builder, config: WhisperConfig, encoded: Value): Value {
  const { d_model: hidden, decoder_attention_heads: heads, decoder_ffn_dim: inner } = config
  const name = 'model.decoder'
  const words = ops.withInputGradients(ops.embedding(WORDS, ops.shiftedLabels(), config.vocab_size, hidden))
  const positions = ops.lookedUpPositions(`${name}.embed_positions`, words, config.max_target_positions)
  const placed = ops.dropout(ops.add(words, positions), config.dropout, functionalDropout)
  const decoded = ops.layers(placed, `${name}.layers`, config.decoder_layers, (states, { name: layer }) =>
    ops.block(
      states,
      input => {
        const spoken = sublayer(ops, config, `${layer}.self_attn_layer_norm`, input, normed =>
          attention(ops, config, `${layer}.self_attn`, normed, normed, { heads, causal: true, caches: true }),
        )
        const heard = sublayer(ops, config, `${layer}.encoder_attn_layer_norm`, spoken, normed =>
          attention(ops, config, `${layer}.encoder_attn`, normed, encoded, { heads, causal: false, caches: true }),
        )
        return sublayer(ops, config, `${layer}.final_layer_norm`, heard, normed =>
          feedForward(ops, config, layer, normed, inner),
        )
      },
      [encoded],
    ),
  )
  return ops.layerNorm(`${name}.layer_norm`, decoded)
}

/** A norm, what reads it, and the residual sum. */
function sublayer(
  ops: Builder,
  { dropout }: WhisperConfig,
  norm: string,
  x: Value,
  body: (normed: Value) => Value,
): Value {
  return ops.residual(ops.dropout(body(ops.layerNorm(norm, x)), dropout, functionalDropout), x)
}

function feedForward(ops: Builder, config: WhisperConfig, layer: string, x: Value, inner: number): Value {
  const widened = ops.dropout(
    ops.gelu(ops.linear(`${layer}.fc1`, x, inner)),
    config.activation_dropout,
    functionalDropout,
  )
  return ops.linear(`${layer}.fc2`, widened, config.d_model)
}

interface Attending {
  readonly heads: number
  readonly causal: boolean
  /** Decoders put keys and values into a cache. */
  readonly caches: boolean
}

/** Queries are scaled before they are compared. No batch tells of padding. */
function attention(
  ops: Builder,
  config: WhisperConfig,
  name: string,
  x: Value,
  source: Value,
  { heads, causal, caches }: Attending,
): Value {
  const { d_model: hidden, attention_dropout: dropout } = config
  return ops.frame(x, input => {
    const query = ops.headsFirst(ops.scale(ops.linear(`${name}.q_proj`, input, hidden)))
    const from = source === x ? input : source
    const key = ops.headsFirst(ops.linear(`${name}.k_proj`, from, hidden, { bias: false }))
    const value = ops.headsFirst(ops.linear(`${name}.v_proj`, from, hidden))
    const [k, v] = caches ? [ops.cached(key), ops.cached(value)] : [key, value]
    const context = ops.attention(query, k, v, { heads, causal, dropout, isUnpadded: true })
    return ops.linear(`${name}.out_proj`, context, hidden)
  })
}

export const whisperFamily = family('encoder-decoder', whisperConfig, whisper, {
  linears: () => ({ all: ['q_proj', 'k_proj', 'v_proj', 'out_proj', 'fc1', 'fc2'] }),
  hasPositionTable: true,
  transcribes: true,
  generation: config => ({
    decoderLayers: config.decoder_layers,
    width: config.d_model,
    hidden: config.d_model,
    vocabulary: config.vocab_size,
    encoderTokens: config.max_source_positions,
    maxTokens: config.max_target_positions,
    inputBytes: SPECTROGRAMS * config.num_mel_bins * STRIDE * config.max_source_positions * FLOAT32_BYTES,
  }),
})
