import { describe, expect, test } from 'vitest'
import { miniature, step } from '../../bench/sharding/cells.ts'
import { MIB } from '../../engine/base/units.ts'
import { Footprint } from '../../engine/estimate/footprint.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf, specOf } from './specs.ts'

const masters = { precision: 'bf16-master' } as const
const accumulating = { gradientAccumulation: 2 } as const
const checkpointed = { gradientCheckpointing: true, microBatch: 2, sequenceLength: 64 } as const
const verl = { sharding: 'fsdp', ...masters, loop: 'verl', syncsEveryMicroBatch: true } as const
const whole = { sharding: 'fsdp', fsdpVersion: 1, wrapsWholeModel: true, syncsEveryMicroBatch: true } as const
/** The Trainer has taken peft's policy for layers since. */
const ownPolicy = { versions: { transformers: '4.38' }, reentrantCheckpoints: false } as const
const gated = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']
const adapters = { lora: { rank: 16, targets: gated, dropout: 0, inWeightsType: true } } as const
const tight = { maxLiveParameters: 250_000, maxReuseDistance: 250_000 }

function peakOf(changes: Partial<TrainingSpec>, gpus: number = step.gpus) {
  const spec = specOf('meta-llama/Llama-3.1-8B', { ...step, ...changes, gpus })
  return new Footprint(spec, miniature).peak(spec.microBatch, 0)
}

/** MiB that the libraries themselves took, as `npm run bench:sharding` prints them: torch 2.13.0, deepspeed 0.19.6. */
test.each<[number, Partial<TrainingSpec>]>([
  [48.1, { sharding: 'ddp', precision: 'fp32' }],
  [15.1, { sharding: 'fsdp', precision: 'fp32' }],
  [21.2, { sharding: 'fsdp', precision: 'fp32', ...accumulating }],
  [8.9, { sharding: 'fsdp', precision: 'bf16', syncsEveryMicroBatch: true, ...accumulating, ...checkpointed }],
  [11.5, { sharding: 'fsdp', ...masters, ...checkpointed }],
  [14.9, { sharding: 'fsdp', ...masters, ...accumulating, ...checkpointed }],
  [30.0, { ...whole, precision: 'fp32' }],
  [20.0, { ...whole, ...masters, ...accumulating, ...checkpointed }],
  [50.1, { ...whole, ...masters, gradientCheckpointing: true, microBatch: 16, sequenceLength: 96 }],
  [
    29.9,
    { ...whole, ...ownPolicy, precision: 'fp32', lora: { rank: 16, targets: gated, dropout: 0 }, ...checkpointed },
  ],
  [11.1, { ...verl, fsdpVersion: 1 }],
  [13.3, { ...verl, fsdpVersion: 1, ...accumulating, ...checkpointed }],
  [8.1, { ...verl, fsdpVersion: 1, ...adapters, ...checkpointed }],
  [11.0, { ...verl, fsdpVersion: 2 }],
  [13.6, { ...verl, fsdpVersion: 2, ...accumulating, ...checkpointed }],
  [7.6, { ...verl, fsdpVersion: 2, ...adapters, ...checkpointed }],
  [17.4, { sharding: 'zero1', ...masters, ...accumulating, ...checkpointed }],
  [15.5, { sharding: 'zero1', ...masters, zero: { reduceBucket: 750_000, overlapsCommunication: false } }],
  [14.4, { sharding: 'zero2', ...masters, ...accumulating, ...checkpointed }],
  [21.7, { sharding: 'zero2', precision: 'fp32', ...accumulating }],
  [15.4, { sharding: 'zero3', ...masters, ...checkpointed }],
  [14.7, { sharding: 'zero3', ...masters, zero: { reduceBucket: 250_000 } }],
  [7.0, { sharding: 'zero3', ...masters, optimizer: 'sgd', zero: tight }],
  [7.9, { sharding: 'zero3', ...masters, optimizer: 'sgd', zero: tight, ...checkpointed }],
])('one of four GPUs takes %d MiB with %j', (mebibytes, changes) => {
  expect(Math.abs(peakOf(changes).bytes / MIB / mebibytes - 1)).toBeLessThan(0.03)
})

/** MiB that FSDP itself takes on one GPU, as verl wraps it there too: by the same bench with one process. */
test.each<[number, Partial<TrainingSpec>]>([
  [40.0, { fsdpVersion: 1, ...accumulating, ...checkpointed }],
  [75.7, { fsdpVersion: 1, gradientCheckpointing: true, microBatch: 16, sequenceLength: 96 }],
  [16.0, { fsdpVersion: 2, ...adapters, ...checkpointed }],
  [76.2, { fsdpVersion: 2, gradientCheckpointing: true, microBatch: 16, sequenceLength: 96 }],
])('alone, a GPU takes %d MiB with %j in verl', (mebibytes, changes) => {
  expect(Math.abs(peakOf({ ...verl, ...changes }, 1).bytes / MIB / mebibytes - 1)).toBeLessThan(0.03)
})

test('a loss outside of the model is computed before FSDP gathers the first block of the backward pass', () => {
  const dpo = { kind: 'preference', reference: 'none', withCrossEntropy: false, logProbabilities: 'trl' } as const
  const many = { microBatch: 4, sequenceLength: 256, sharding: 'fsdp', precision: 'fp32', method: dpo } as const
  /** By the same bench, with torch 2.13.0. */
  const taken = 250_801_664
  expect(Math.abs(peakOf(many).bytes / taken - 1)).toBeLessThan(0.001)
})

describe('more GPUs', () => {
  test.each(['zero1', 'zero2', 'zero3', 'fsdp'] as const)('leave less to each with %s, and never none', sharding => {
    const [two, eight, thousand] = [2, 8, 1_000].map(gpus => peakOf({ sharding, ...masters }, gpus).bytes)
    expect(eight).toBeLessThan(two ?? 0)
    expect(thousand).toBeLessThan(eight ?? 0)
    expect(thousand).toBeGreaterThan(MIB)
  })

  test('change nothing of what DistributedDataParallel takes', () => {
    expect(peakOf({ sharding: 'ddp', precision: 'fp32' }, 2).bytes).toBe(
      peakOf({ sharding: 'ddp', precision: 'fp32' }, 64).bytes,
    )
  })
})

test('DeepSpeed keeps float32 masters whatever the weights are in, on one GPU too', () => {
  const state = (changes: Partial<TrainingSpec>) =>
    peakOf({ precision: 'fp32', ...changes }, 1).breakdown.optimizerState
  expect(state({ sharding: 'zero2' }) / state({})).toBeCloseTo(1.5, 2)
})

/** LLaMA-Factory#1221, 2023: 28.28 GiB were allocated where `exp_avg_sq.sqrt() / …` wanted 3.14 GiB more. */
test('DeepSpeed steps with all of a GPU in one tensor, so AdamW makes its temporaries of all at once', () => {
  const step = { precision: 'bf16-master', gpus: 8, gradientCheckpointing: true, sharding: 'zero2' } as const
  const peak = (optimizer: 'adamw' | 'adamw-loop') =>
    footprintOf('huggyllama/llama-7b', { ...step, optimizer, sequenceLength: 1_024 }).peak(1, 0).bytes / 2 ** 30
  expect(peak('adamw-loop')).toBeCloseTo(28.28 + 3.14, 1)
})

test('Adafactor has no rows and columns to factor in the flat tensors of DeepSpeed and FSDP1', () => {
  const state = (changes: Partial<TrainingSpec>) =>
    peakOf({ precision: 'fp32', ...changes }, 4).breakdown.optimizerState
  const ofMomentum = (changes: Partial<TrainingSpec>) => state({ ...changes, optimizer: 'sgd-momentum' })
  const ofAdafactor = (changes: Partial<TrainingSpec>) => state({ ...changes, optimizer: 'adafactor' })
  for (const flat of [{ sharding: 'zero2' }, { sharding: 'zero3' }, { sharding: 'fsdp', fsdpVersion: 1 }] as const) {
    expect(ofAdafactor(flat)).toBe(ofMomentum(flat))
  }
  expect(ofAdafactor({ sharding: 'ddp' })).toBeLessThan(ofMomentum({ sharding: 'ddp' }) / 50)
})

test('adapters are of the type of the weights under DeepSpeed, and float32 under FSDP', () => {
  const lora = { rank: 16, targets: ['q_proj', 'v_proj'], dropout: 0 }
  const trainedBytes = (changes: Partial<TrainingSpec>) =>
    peakOf({ ...changes, lora }, 1).breakdown.weights - peakOf({ ...changes }, 1).breakdown.weights
  expect(trainedBytes({ sharding: 'zero2', ...masters })).toBe(trainedBytes({ precision: 'bf16' }) / 2)
})

const MODEL = 'HuggingFaceTB/SmolLM2-135M'

function weightBytes(changes: Partial<TrainingSpec>): number {
  const spec: Partial<TrainingSpec> = { precision: 'bf16', loop: 'trainer', sharding: 'fsdp', ...changes }
  const { breakdown } = footprintOf(MODEL, spec).peak(1, 0)
  return breakdown.weights + breakdown.temporaries
}

/** The embedding and the last norm, and a block. */
const GATHERED = 2 * (49_152 * 576 + 576) + 2 * (576 * (576 + 2 * 192 + 576 + 3 * 1_536) + 2 * 576)

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
