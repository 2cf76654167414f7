import { expect, it } from 'vitest'
import { footprintOf } from './specs.ts'

it('Adam-mini keeps a second moment for every number of the embedding and the output layer alone', () => {
  const { breakdown } = footprintOf('TinyLlama/TinyLlama-1.1B-Chat-v1.0', {
    microBatch: 1,
    sequenceLength: 64,
    precision: 'amp-bf16',
    loop: 'trainer',
    optimizer: 'adam-mini',
  }).peak(1, 0)
  // 1,100,048,384 parameters, and embedding and output layer of 32,000 · 2,048 again.
  expect(breakdown.optimizerState).toBe(4 * (1_100_048_384 + 2 * 32_000 * 2048))
})
