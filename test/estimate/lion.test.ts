import { expect, it } from 'vitest'
import type { Optimizer } from '../../engine/training/choices.ts'
import { footprintOf } from './specs.ts'

it.each<[Optimizer, number]>([
  ['lion', 2],
  ['lion-32bit', 4],
])('%s keeps one momentum, of %i bytes for a weight in bfloat16', (optimizer, bytes) => {
  const { breakdown } = footprintOf('TinyLlama/TinyLlama-1.1B-Chat-v1.0', {
    sequenceLength: 64,
    precision: 'bf16',
    loop: 'trainer',
    optimizer,
  }).peak(1, 0)
  // 1,100,048,384 parameters, of which small ones are rounded up to 512 bytes.
  expect(breakdown.optimizerState / 1_100_048_384).toBeCloseTo(bytes, 3)
})
