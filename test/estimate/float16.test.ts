/** Encoders that clamp their hidden states where those are float16, which keeps what is clamped for the backward pass. */
import { expect, test } from 'vitest'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf } from './specs.ts'

const batch = { microBatch: 4, sequenceLength: 256, optimizer: 'sgd', loop: 'trainer' } as const
const inBfloat16 = { precision: 'bf16' } as const
const inFloat16 = { precision: 'bf16', inFloat16: true } as const

function peakOf(model: string, changes: Partial<TrainingSpec>): number {
  return footprintOf(model, { ...batch, ...changes }).peak(batch.microBatch, 0).bytes
}

test.each([
  // Twelve layers with two sublayers in the encoder, and with three in the decoder.
  ['google/flan-t5-base', 12 * (2 + 3), 768],
  ['facebook/m2m100_418M', 12, 1_024],
  // Its layers clamp only what is not finite.
  ['facebook/bart-base', 0, 768],
])('%s keeps %i hidden states more in float16', (model, states, hidden) => {
  const more = peakOf(model, inFloat16) - peakOf(model, inBfloat16)
  expect(more).toBe(states * batch.microBatch * batch.sequenceLength * hidden * 2)
})

test('hidden states that autocast leaves in float32 are not clamped', () => {
  const clamps = (changes: Partial<TrainingSpec>) =>
    footprintOf('facebook/m2m100_418M', { ...batch, ...changes }).nodes.filter(node => node.name === 'clamp').length
  expect(clamps({ precision: 'amp-fp16' })).toBe(0)
  expect(clamps(inFloat16)).toBeGreaterThan(0)
})
