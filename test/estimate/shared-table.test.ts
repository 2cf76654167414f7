/** The gradients of a table that several layers share wait for each other: torch/csrc/autograd/input_buffer.cpp, accumulate. */
import { expect, test } from 'vitest'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf } from './specs.ts'

const sgd = { microBatch: 1, sequenceLength: 16, optimizer: 'sgd', loop: 'trainer' } as const

/** At the peak, which is that of their sum: how many gradients of the table there are beside the one that stays. */
function gradientsBeside(model: string, tableElements: number, changes: Partial<TrainingSpec>): number {
  const footprint = footprintOf(model, { ...sgd, ...changes })
  const { breakdown, moment } = footprint.peak(1, 0)
  expect(moment).toMatch(/^backward of model\.(?:shared|embed_tokens)$/)
  const bytesEach = changes.precision === 'bf16' ? 2 : 4
  return (breakdown.gradients / bytesEach - footprint.parameterCount) / tableElements
}

const qwen = ['Qwen/Qwen2.5-0.5B', 151_936 * 896] as const

test.each<readonly [string, number, Partial<TrainingSpec>]>([
  // The output layer reads its weight transposed, so its gradient is a view, which nothing is added to in place.
  ['weights in 16 bits', 2, { precision: 'bf16' }],
  ['weights in 16 bits, which autocast leaves as they are', 2, { precision: 'bf16', autocasts: true }],
  ['weights in float32, which autocast casts', 1, { precision: 'amp-bf16' }],
])('%s: %i more gradients of the table', (_, more, changes) => {
  expect(gradientsBeside(...qwen, changes)).toBeCloseTo(more, 2)
})

test('what is summed of two is a tensor of its own, which the third is added to', () => {
  // So there are most when the decoder's use is summed with the output layer's, before any gradient of the encoder is there.
  const table = 58_101 * 512
  const encoder = 6 * (4 * (512 ** 2 + 512) + 2 * 512 * 2_048 + 2_048 + 512 + 4 * 512)
  const positions = 2 * 512 * 512
  const more = gradientsBeside('Helsinki-NLP/opus-mt-en-de', table, { precision: 'fp32' })
  expect(more).toBeCloseTo(2 - (encoder + positions) / table, 3)
})
