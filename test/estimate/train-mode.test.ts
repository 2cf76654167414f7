/** A step without an optimizer in train mode, as it is where it drops out. Traced by torch 2.13 and transformers 5.18. */
import { expect, test } from 'vitest'
import { MIB } from '../../engine/base/units.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf } from './specs.ts'

const step = { step: 'forward-backward', gradientCheckpointing: true } as const
const small = { sequenceLength: 64, precision: 'bf16', loop: 'trainer' } as const
const lora = { rank: 8, targets: ['q_proj', 'v_proj', 'up_proj'], dropout: 0.1 }

test.each<readonly [string, Partial<TrainingSpec>, number]>([
  ['bert', { dropout: true }, 838.31],
  ['HuggingFaceTB/SmolLM2-135M', { ...small, lora, dropout: true }, 326.87],
])('%s checkpoints its blocks', (model, changes, traced) => {
  expect(footprintOf(model, { ...step, ...changes }).peak(8, 0).bytes / MIB).toBeCloseTo(traced, 1)
})

test('in eval mode no block is checkpointed', () => {
  const peak = (changes: Partial<TrainingSpec>) => footprintOf('bert', changes).peak(8, 0).bytes
  expect(peak(step)).toBe(peak({ ...step, gradientCheckpointing: false }))
})
