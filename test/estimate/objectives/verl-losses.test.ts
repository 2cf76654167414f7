/** verl's losses against PyTorch's trace of the same computations, as bench/accuracy/verl-cells.ts has them. */
import { describe, expect, test } from 'vitest'
import { GIB } from '../../../engine/base/units.ts'
import type { TrainingSpec } from '../../../engine/training/spec.ts'
import { footprintOf, onlineMethod } from '../specs.ts'

const MODEL = 'HuggingFaceTB/SmolLM2-135M'
const verl = { loop: 'verl', attention: 'flash', precision: 'bf16', gradientCheckpointing: true } as const

type Entropies = 'trained' | 'logged' | 'always'

function actor(scored: number, paddedBatches = false, entropies?: Entropies): Partial<TrainingSpec> {
  const method = {
    ...onlineMethod({ kind: 'server' }),
    completionLength: 768,
    completions: 16,
    scored,
    ...(entropies && { entropies }),
  }
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
  [2.814, 4, actor(4, true)],
  [9.002, 2, actor(16, true)],
  [2.402, 4, actor(2, false, 'trained')],
  [3.028, 4, { gradientAccumulation: 2, ...actor(2, false, 'logged') }],
  [1.783, 4, actor(2, true)],
  [4.839, 4, actor(2, true, 'trained')],
  [4.745, 4, actor(2, true, 'logged')],
  [4.558, 4, actor(2, true, 'always')],
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

describe("PPO's critic", () => {
  const gpus = { gpus: 4, sharding: 'fsdp', precision: 'bf16-master' } as const
  const peak = (criticHolds?: ('weights' | 'optimizerState')[]) => {
    const { method, ...rest } = actor(4)
    if (method?.kind !== 'online') throw new Error('no method')
    return peakOf(4, { ...rest, ...gpus, method: { ...method, ...(criticHolds && { criticHolds }) } }).bytes
  }

  test('adds its shards and their moments in float32 to what the actor takes', () => {
    // 134,515,008 parameters, whose output layer is tied to the embeddings.
    const shards = (134_515_008 * 4) / 4
    expect(peak(['weights']) - peak()).toBeCloseTo(shards, -6)
    expect(peak(['weights', 'optimizerState']) - peak()).toBeCloseTo(3 * shards, -6)
    expect(peak([])).toBe(peak())
  })
})
