/**
 * What generating takes beside the weights, against transformers 5.18 generating on the CPU with every tensor followed, in float32; KiB.
 * What is left out, such as masks, is a larger share of models so small.
 */
import { expect, it } from 'vitest'
import { KIB } from '../../engine/base/units.ts'
import { generationBytes } from '../../engine/estimate/generation.ts'
import { modelConfig } from '../../engine/models/model-config.ts'
import { specOf } from './specs.ts'

const BAND = 0.08
const device = { hasFlash: true }

/** T5 of 3 layers, 4 heads of 16 and a width of 64. */
const followed = [
  { vocabulary: 400, batch: 8, tokens: 128, beams: 1, kib: 2_328.2 },
  { vocabulary: 400, batch: 4, tokens: 128, beams: 4, kib: 4_739.3 },
  { vocabulary: 400, batch: 8, tokens: 128, beams: 4, kib: 9_478.6 },
  { vocabulary: 400, batch: 4, tokens: 64, beams: 4, kib: 2_681.3 },
  { vocabulary: 8_000, batch: 8, tokens: 128, beams: 1, kib: 3_390 },
  { vocabulary: 8_000, batch: 8, tokens: 128, beams: 4, kib: 13_418.9 },
]

function bytesOf({ vocabulary, batch, tokens, beams }: Omit<(typeof followed)[number], 'kib'>): number | undefined {
  const sizes = { d_model: 64, d_kv: 16, d_ff: 128, num_layers: 3, num_heads: 4 }
  const config = modelConfig.parse({ model_type: 't5', vocab_size: vocabulary, ...sizes })
  const evaluation = { microBatch: batch, generates: { maxLength: 24, beams } }
  const spec = specOf('google-t5/t5-small', { task: 'seq2seq-lm', sequenceLength: tokens, evaluation })
  return generationBytes(spec, config, device, batch)
}

it.each(followed)('is within 8 % of what was followed: %j', ({ kib, ...of }) => {
  expect(Math.abs((bytesOf(of) ?? 0) / KIB / kib - 1)).toBeLessThan(BAND)
})

/** Whisper with 300 positions of sound, 4 heads of 16 and a vocabulary of 1,000, which writes 48 tokens. */
const transcribed = [
  { layers: 6, batch: 4, beams: 1, kib: 6_063.1 },
  { layers: 12, batch: 8, beams: 1, kib: 20_478.2 },
  { layers: 6, batch: 4, beams: 4, kib: 20_772.4 },
  { layers: 12, batch: 4, beams: 4, kib: 37_476.4 },
]

it.each(transcribed)('of Whisper is within 8 % too: %j', ({ layers, batch, beams, kib }) => {
  const sizes = { d_model: 64, encoder_layers: 2, decoder_layers: layers, max_source_positions: 300, num_mel_bins: 80 }
  const config = modelConfig.parse({ model_type: 'whisper', vocab_size: 1_000, max_target_positions: 64, ...sizes })
  const evaluation = { microBatch: batch, generates: { maxLength: 48, beams } }
  const spec = specOf('openai/whisper-tiny', { task: 'seq2seq-lm', evaluation })
  // The batch was there before what was followed.
  const spectrograms = batch * 80 * 600 * 4
  const estimated = ((generationBytes(spec, config, device, batch) ?? 0) - spectrograms) / KIB
  expect(Math.abs(estimated / kib - 1)).toBeLessThan(BAND)
})

/** Decoders of 4 layers, 4 heads of 32 and a vocabulary of 2,000. */
const sizes = {
  llama: {
    vocab_size: 2_000,
    hidden_size: 128,
    num_hidden_layers: 4,
    num_attention_heads: 4,
    intermediate_size: 256,
    max_position_embeddings: 1_024,
  },
  gpt2: { vocab_size: 2_000, n_embd: 128, n_layer: 4, n_head: 4 },
}

const continued = [
  { model: 'llama', batch: 4, prompt: 16, maxLength: 160, beams: 1, kib: 2_947.1 },
  { model: 'llama', batch: 2, prompt: 16, maxLength: 160, beams: 4, kib: 5_941.7 },
  { model: 'llama', batch: 4, prompt: 96, maxLength: 128, beams: 1, kib: 3_564.1 },
  { model: 'gpt2', batch: 4, prompt: 16, maxLength: 160, beams: 1, kib: 2_948.1 },
  { model: 'gpt2', batch: 2, prompt: 16, maxLength: 160, beams: 4, kib: 5_943.7 },
  // Its activation function holds more of a prompt than is counted.
  { model: 'gpt2', batch: 4, prompt: 96, maxLength: 128, beams: 1, kib: 5_772.1, band: 0.11 },
] as const

it.each(continued)('of a decoder is as close: %j', ({ model, batch, prompt, maxLength, beams, kib, ...others }) => {
  const config = modelConfig.parse({ model_type: model, tie_word_embeddings: false, ...sizes[model] })
  const evaluation = { microBatch: batch, generates: { maxLength, beams } }
  const spec = specOf('gpt2', { task: 'causal-lm', sequenceLength: prompt, evaluation })
  const estimated = (generationBytes(spec, config, device, batch) ?? 0) / KIB
  expect(Math.abs(estimated / kib - 1)).toBeLessThan('band' in others ? others.band : BAND)
})

it('is not known of a classifier', () => {
  const evaluation = { microBatch: 8, generates: { maxLength: 24, beams: 1 } }
  const spec = specOf('bert', { evaluation })
  expect(generationBytes(spec, modelConfig.parse({ model_type: 'bert' }), device, 8)).toBeUndefined()
})
