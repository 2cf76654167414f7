/**
 * Memory of generating text in an evaluation (transformers 5.18 generation/utils.py), beside the weights: keys and values
 * of every layer, once a beam, beside what one token takes.
 */
import { computesInFloat32, type TrainingSpec } from '../config/spec.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { generationOf } from './evaluation.ts'
import type { Device } from './footprint.ts'
import { bytesPerElement } from './tape/storage.ts'

/** Copies of one token's scores over the vocabulary in float32, while the next token is chosen. */
const SCORES = 4

/** Tokens after the prompt where no length is asked for: generation/configuration_utils.py. */
const DEFAULT_NEW_TOKENS = 20

/** Of a batch; undefined for models of which nobody has looked at it. */
export function generationBytes(
  spec: TrainingSpec,
  config: ModelConfig,
  device: Device,
  batch: number,
): number | undefined {
  const generates = spec.evaluation?.generates
  if (generates === undefined) return undefined
  const encoderDecoder = encoderDecoderOf(spec, config)
  if (encoderDecoder !== undefined) return withEncoder(spec, encoderDecoder, generates.beams, batch)
  if (spec.task !== 'causal-lm') return undefined
  const { sequenceLength: prompt = 1 } = spec
  const tokens = Math.max(prompt + 1, generates.maxLength ?? prompt + DEFAULT_NEW_TOKENS)
  return generationOf(spec, config, device, { prompt, tokens, perSample: generates.beams }).bytesAt(batch)
}

interface EncoderDecoder {
  readonly decoderLayers: number
  /** Features of all heads of a layer, and of a token between layers. */
  readonly width: number
  readonly hidden: number
  readonly encoderTokens: number
  readonly maxLength: number
  readonly vocabulary: number
  /** What the encoder is given, where it is more than tokens' numbers. */
  readonly inputBytes: number
}

/** models/whisper/generation_whisper.py: the spectrograms of the batch, of the segments, and of those that the model is given. */
const SPECTROGRAMS = 3
/** Frames of a spectrogram for each of the encoder's positions. */
const FRAMES = 2

function encoderDecoderOf(
  { evaluation, sequenceLength: tokens = 0, targetLength = tokens }: TrainingSpec,
  config: ModelConfig,
): EncoderDecoder | undefined {
  const { maxLength } = evaluation?.generates ?? {}
  if ('relative_attention_num_buckets' in config) {
    return {
      decoderLayers: config.num_decoder_layers ?? config.num_layers,
      width: config.d_kv * config.num_heads,
      hidden: config.d_model,
      encoderTokens: tokens,
      maxLength: maxLength ?? targetLength,
      vocabulary: config.vocab_size,
      inputBytes: 0,
    }
  }
  if (config.model_type !== 'whisper') return undefined
  const { d_model: hidden, max_source_positions: encoderTokens, num_mel_bins: bins } = config
  return {
    decoderLayers: config.decoder_layers,
    ...{ width: hidden, hidden, encoderTokens },
    maxLength: maxLength ?? config.max_target_positions,
    vocabulary: config.vocab_size,
    inputBytes: SPECTROGRAMS * bins * FRAMES * encoderTokens * bytesPerElement.float32,
  }
}

/** The encoder's own pass is one of the evaluation's. */
function withEncoder(spec: TrainingSpec, model: EncoderDecoder, beams: number, batch: number): number {
  const { width, hidden, encoderTokens, maxLength, vocabulary, inputBytes } = model
  const rows = batch * beams
  const bytes = bytesPerElement[computesInFloat32(spec) ? 'float32' : 'bfloat16']
  const caches = 2 * model.decoderLayers * rows * (maxLength + encoderTokens) * width * bytes
  const encoded = rows * encoderTokens * hidden * bytes
  // cache_utils.py reorder_cache, of one layer's keys at a time; without beams only the decoder's own grow.
  const copied = rows * (beams > 1 ? encoderTokens : maxLength) * width * bytes
  return caches + encoded + copied + batch * inputBytes + SCORES * rows * vocabulary * bytesPerElement.float32
}
