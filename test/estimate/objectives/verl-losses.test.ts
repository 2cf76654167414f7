/** verl's losses against PyTorch's trace of the same computations, as bench/accuracy/verl-cells.ts has them. */
import { describe, expect, test } from 'vitest'
import { GIB } from '../../../engine/base/units.ts'
import type { TrainingSpec } from '../../../engine/training/spec.ts'
import { footprintOf, onlineMethod } from '../specs.ts'

const MODEL = 'HuggingFaceTB/SmolLM2-135M'
const verl = { loop: 'verl', attention: 'flash', precision: 'bf16', gradientCheckpointing: true } as const

function actor(scored: number, paddedBatches = false): Partial<TrainingSpec> {
  const method = { ...onlineMethod({ kind: 'server' }), completionLength: 768, completions: 16, scored }
  return { paddedBatches, method }
}

function peakOf(microBatch: number, changes: Partial<TrainingSpec> = {}) {
  return footprintOf(MODEL, { ...verl, sequenceLength: 1_024, microBatch, ...changes }).peak(microBatch, 0)
}

/** GiB of the trace: torch 2.13.0, transformers 5.18.0. */
test.each<[number, number, Partial<TrainingSpec>]>([
  [3.899, 4, {}],
  [2.576, 2, { gradientAccumulation: 2 }],
  [3.527, 4, { contextParallel: 2, paddedBatches: false }],
  [2.402, 4, actor(4)],
  [2.27, 2, actor(16)],
  [2.252, 4, actor(4, true)],
  [6.752, 2, actor(16, true)],
])('%d GiB are traced for %d samples with %j', (gib, microBatch, changes) => {
  expect(Math.abs(peakOf(microBatch, changes).bytes / GIB / gib - 1)).toBeLessThan(0.002)
})

describe('responses that are scored before the update', () => {
  test('decide where their batches are large, whatever the micro-batch', () => {
    expect(peakOf(2, actor(16)).moment).toMatch(/scoring/)
    expect(peakOf(1, actor(16)).bytes).toBeCloseTo(peakOf(2, actor(16)).bytes, -7)
    expect(peakOf(4, actor(4)).moment).toMatch(/^backward/)
  })

  test('take more with padding, where their entropies are not compiled', () => {
    expect(peakOf(2, actor(16, true)).bytes).toBeGreaterThan(2 * peakOf(2, actor(16)).bytes)
  })
})
