import { expect, test } from 'vitest'
import type { TrainingSpec } from '../../engine/config/spec.ts'
import { footprintOf } from './specs.ts'

const MODEL = 'HuggingFaceTB/SmolLM2-135M'

function weightBytes(changes: Partial<TrainingSpec>): number {
  const spec: Partial<TrainingSpec> = { precision: 'bf16', loop: 'trainer', sharding: 'fsdp', ...changes }
  const { breakdown } = footprintOf(MODEL, spec).peak(1, 0)
  return breakdown.weights + breakdown.temporaries
}

/** The embedding and the last norm, and two blocks: the one that runs and the next. */
const GATHERED = 2 * (49_152 * 576 + 576) + 2 * 2 * (576 * (576 + 2 * 192 + 576 + 3 * 1_536) + 2 * 576)

test('offloaded weights are gathered block by block, on one GPU as on several', () => {
  for (const gpus of [1, 8]) {
    const bytes = weightBytes({ gpus, offload: 'optimizer-and-weights' })
    expect(bytes).toBeGreaterThanOrEqual(GATHERED)
    expect(bytes).toBeLessThan(2 * GATHERED)
  }
})

test('whole gradients make room for the next once their part is kept: the allocator reserves little beside the peak', () => {
  const spec = { precision: 'bf16', loop: 'trainer', gpus: 8, gradientCheckpointing: true, sharding: 'fsdp' } as const
  const footprint = footprintOf(MODEL, { ...spec, sequenceLength: 256 })
  const fit = footprint.fit(1, 2 ** 34, 0)
  if (fit.kind !== 'fits') throw new Error('16 GiB are plenty')
  expect(fit.reservedBytes).toBeLessThan(1.75 * footprint.peak(1, 0).bytes)
})

test('FSDP moves gradients to the host with the weights, and counts those of a block on their way', () => {
  const gradients = (changes: Partial<TrainingSpec>) =>
    footprintOf(MODEL, { precision: 'bf16', loop: 'trainer', sharding: 'fsdp', ...changes }).peak(1, 0).breakdown
      .gradients
  expect(gradients({ offload: 'optimizer-and-weights' })).toBe(0)
  expect(gradients({})).toBeGreaterThan(0)
})
