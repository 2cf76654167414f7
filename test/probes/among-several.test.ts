import { describe, expect, test, vi } from 'vitest'
import { GPUS_OF_A_MACHINE } from '../../engine/config/fields/gpus.ts'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { findGpu } from '../../engine/gpus/catalogue.ts'
import { fitsAmongSeveral } from '../../engine/probes/among-several.ts'
import { EstimateProbe } from '../../engine/probes/estimate.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { knownModel, specOf } from '../estimate/specs.ts'

const gpu = findGpu('a10')!
const llama = 'meta-llama/Llama-3.2-1B'

function fits(name: string, changes: Partial<TrainingSpec>): boolean {
  return fitsAmongSeveral(specOf(name, changes), knownModel(name).config, { gpu, footprints: new FootprintCache() })
}

describe('a config that does not fit one GPU', () => {
  const changes = { precision: 'fp32', sequenceLength: 512, gradientCheckpointing: true } as const

  test('fits among several where it is the model that is too large', () => {
    const spec = specOf('Qwen/Qwen2.5-3B', { ...changes, microBatch: 1 })
    const alone = new FootprintCache().of(spec, knownModel(spec.model).config, gpu)
    expect(new EstimateProbe(alone, gpu).fits(1)).toBe(false)
    expect(fits(spec.model, { ...changes, microBatch: 1 })).toBe(true)
  })

  test('fits by ZeRO-3 where FSDP holds whole gradients beside a batch that leaves them no room', () => {
    const accumulating = { ...changes, precision: 'bf16', gradientAccumulation: 4, microBatch: 12 } as const
    const spec = specOf('Qwen/Qwen2.5-3B', accumulating)
    const { config } = knownModel(spec.model)
    const fitsBy = (sharding: 'fsdp' | 'zero3') => {
      const footprint = new FootprintCache().of({ ...spec, gpus: 64, sharding }, config, gpu)
      return new EstimateProbe(footprint, gpu).fits(spec.microBatch)
    }
    expect([fitsBy('fsdp'), fitsBy('zero3')]).toEqual([false, true])
    expect(fits(spec.model, accumulating)).toBe(true)
  })

  test('does not where the batch is too large for any', () => {
    expect(fits(llama, { ...changes, microBatch: 512 })).toBe(false)
  })
})

describe('what ZeRO-3 cannot make fit', () => {
  const adapters = { lora: { rank: 8, targets: ['q_proj', 'v_proj'], dropout: 0 } }
  const changes = { precision: 'bf16', sequenceLength: 512 } as const
  const ofZero: readonly (readonly [model: string, changes: Partial<TrainingSpec>])[] = [
    ['gpt2', {}],
    ['resnet-50', { precision: 'amp-bf16' }],
    ['google-t5/t5-small', changes],
    ['Qwen/Qwen2.5-1.5B', { ...changes, gradientCheckpointing: true, gradientAccumulation: 4 }],
    ['Qwen/Qwen2.5-1.5B', { ...changes, ...adapters }],
    ['Qwen/Qwen2.5-1.5B', { ...changes, ...adapters, quantization: 'nf4', precision: 'amp-bf16' }],
    ['Qwen/Qwen2.5-1.5B', { ...changes, ...adapters, loop: 'lightning', gradientCheckpointing: true }],
    ['Qwen/Qwen3-30B-A3B', { ...changes, ...adapters, gradientAccumulation: 2 }],
    [llama, { ...changes, trainable: { names: ['model.layers.15.*'], inputGradients: false } }],
    [llama, { ...changes, precision: 'fp32', zero: { reduceBucket: 1_000_000 } }],
  ]

  test.each(ofZero)('is said as by playing its step: %s, %j', (name, changes) => {
    const { config } = knownModel(name)
    const footprints = new FootprintCache()
    const fitsBy = (sharding: 'fsdp' | 'zero3', microBatch: number) => {
      const footprint = footprints.of(specOf(name, { ...changes, gpus: 64, sharding }), config, gpu)
      return new EstimateProbe(footprint, gpu).fits(microBatch)
    }
    const among = (microBatch: number) =>
      fitsAmongSeveral(specOf(name, { ...changes, microBatch }), config, { gpu, footprints })
    const fitting =
      Array.from({ length: 14 }, (_, exponent) => 2 ** exponent).findLast(size => fitsBy('zero3', size)) ?? 0
    for (const size of [fitting, fitting + 1, 1.25 * fitting, 1.5 * fitting, 2 * fitting].map(Math.ceil)) {
      if (size > 0) expect([size, among(size)]).toEqual([size, fitsBy('zero3', size) || fitsBy('fsdp', size)])
    }
  })

  test.each(ofZero)('is mostly known without playing it: %s, %j', (name, changes) => {
    const footprints = new FootprintCache()
    const recorded = vi.spyOn(footprints, 'of')
    const spec = specOf(name, { ...changes, microBatch: 4_096 })
    expect(fitsAmongSeveral(spec, knownModel(name).config, { gpu, footprints })).toBe(false)
    expect(recorded.mock.calls.map(([{ sharding }]) => sharding)).not.toContain('zero3')
  })
})

const trainings: readonly (readonly [what: string, model: string, changes: Partial<TrainingSpec>])[] = [
  ['a decoder', llama, {}],
  ['with adapters', llama, { lora: { rank: 8, targets: ['q_proj'], dropout: 0 } }],
  ['with checkpoints', llama, { gradientCheckpointing: true, gradientAccumulation: 2 }],
  ['in two types', 'gpt2', { precision: 'amp-bf16' }],
  ['with images', 'google/vit-base-patch16-224', {}],
  ['with convolutions', 'resnet-50', {}],
]

test.each(trainings)('what grows with the batch is there on each of several GPUs too: %s', (_, name, changes) => {
  const spec = specOf(name, changes)
  const { config } = knownModel(name)
  const footprints = new FootprintCache()
  const undivided = footprints.of(spec, config, gpu)
  const divided = footprints.of({ ...spec, gpus: GPUS_OF_A_MACHINE, sharding: 'fsdp' }, config, gpu)
  const bound = undivided.growingBytes(16) + undivided.resting(0).bytes / GPUS_OF_A_MACHINE
  expect(bound).toBeLessThanOrEqual(divided.peak(16, 0).bytes)
  expect(bound).toBeGreaterThan(divided.peak(16, 0).bytes / 4)
})

const accumulating: readonly (readonly [model: string, changes: Partial<TrainingSpec>])[] = [
  [llama, {}],
  [llama, { lora: { rank: 8, targets: ['q_proj'], dropout: 0 } }],
  [llama, { gradientCheckpointing: true, precision: 'amp-bf16' }],
  ['Qwen/Qwen3-30B-A3B', { precision: 'bf16' }],
  ['google-t5/t5-small', {}],
  ['google/vit-base-patch16-224', {}],
]

test.each(accumulating)('so are whole gradients while micro-steps of %s add to them: %j', (name, changes) => {
  const spec = specOf(name, { gradientAccumulation: 4, ...changes })
  const { config } = knownModel(name)
  const footprints = new FootprintCache()
  const undivided = footprints.of(spec, config, gpu)
  const divided = footprints.of({ ...spec, gpus: 64, sharding: 'fsdp' }, config, gpu)
  for (const batch of [1, 16]) {
    const bound = undivided.growingBytes(batch, true) + undivided.resting(0).bytes / 64
    expect(bound).toBeLessThanOrEqual(divided.peak(batch, 0).bytes)
    expect(bound).toBeGreaterThan(divided.peak(batch, 0).bytes / 8)
  }
})
