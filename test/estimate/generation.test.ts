/**
 * What generating takes beside the weights, against transformers 5.18 generating on the CPU with every tensor followed: T5 of 3 layers, 4
 * heads of 16 and a width of 64, in float32; KiB. What is left out, such as masks, is a larger share of so small a model.
 */
import { expect, it } from 'vitest'
import { generationBytes } from '../../engine/estimate/generation.ts'
import { modelConfig } from '../../engine/models/model-config.ts'
import { KIB } from '../../engine/units.ts'
import { specOf } from './specs.ts'

const BAND = 0.08

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
  return generationBytes(spec, config, batch)
}

it.each(followed)('is within 8 % of what was followed: %j', ({ kib, ...of }) => {
  expect(Math.abs((bytesOf(of) ?? 0) / KIB / kib - 1)).toBeLessThan(BAND)
})

it('is not known of decoders alone', () => {
  const evaluation = { microBatch: 8, generates: { maxLength: 24, beams: 1 } }
  const config = modelConfig.parse({ model_type: 'gpt2' })
  expect(generationBytes(specOf('gpt2', { evaluation }), config, 8)).toBeUndefined()
})
