import { describe, expect, test } from 'vitest'
import { GPUS_OF_A_MACHINE } from '../../engine/config/fields/gpus.ts'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { findGpu, usableBytes } from '../../engine/gpus/catalogue.ts'
import { couldFitAmongSeveral } from '../../engine/probes/among-several.ts'
import { EstimateProbe, workspaceBytesOf } from '../../engine/probes/estimate.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { knownModel, specOf } from '../estimate/specs.ts'

const gpu = findGpu('a10')!
const llama = 'meta-llama/Llama-3.2-1B'

function couldFit(name: string, changes: Partial<TrainingSpec>): boolean {
  return couldFitAmongSeveral(specOf(name, changes), knownModel(name).config, { gpu, footprints: new FootprintCache() })
}

describe('a config that does not fit one GPU', () => {
  const changes = { precision: 'fp32', sequenceLength: 512, gradientCheckpointing: true } as const

  test('could fit several where it is the model that is too large', () => {
    const spec = specOf('Qwen/Qwen2.5-3B', { ...changes, microBatch: 1 })
    const alone = new FootprintCache().of(spec, knownModel(spec.model).config, gpu)
    expect(new EstimateProbe(alone, gpu).fits(1)).toBe(false)
    expect(couldFit(spec.model, { ...changes, microBatch: 1 })).toBe(true)
  })

  test('could not where the batch alone is too large for any', () => {
    expect(couldFit(llama, { ...changes, microBatch: 512 })).toBe(false)
  })

  test('could not where the batch leaves too little for what is gathered and for fragments', () => {
    const spec = specOf('gpt2', { precision: 'amp-bf16', sequenceLength: 1024, microBatch: 14 })
    expect(shareOfGrowth(spec)).toBeLessThan(1)
    expect(couldFit(spec.model, spec)).toBe(false)
  })

  test('could where DeepSpeed would keep no float32 copies of what its adapters take', () => {
    const targets = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']
    const lora = { rank: 8, targets, dropout: 0 }
    const ofSize = (microBatch: number, inWeightsType?: true) =>
      specOf(llama, { lora: { ...lora, inWeightsType }, precision: 'bf16', sequenceLength: 512, microBatch })
    const sizes = Array.from({ length: 64 }, (_, index) => index + 1)
    const tooLarge = sizes.find(size => shareOfGrowth(ofSize(size)) > 1) ?? 0
    expect(shareOfGrowth(ofSize(tooLarge, true))).toBeLessThan(0.9)
    expect(couldFit(llama, ofSize(tooLarge))).toBe(true)
  })
})

function shareOfGrowth(spec: TrainingSpec): number {
  const footprint = new FootprintCache().of(spec, knownModel(spec.model).config, gpu)
  return (footprint.growingBytes(spec.microBatch) + workspaceBytesOf(gpu)) / usableBytes(gpu)
}

const adapters = { lora: { rank: 8, targets: ['q_proj', 'v_proj'], dropout: 0 } }
const bf16 = { precision: 'bf16', sequenceLength: 512 } as const
const sharded: readonly (readonly [model: string, changes: Partial<TrainingSpec>])[] = [
  ['gpt2', {}],
  ['resnet-50', { precision: 'amp-bf16' }],
  ['google-t5/t5-small', bf16],
  ['Qwen/Qwen2.5-1.5B', { ...bf16, gradientCheckpointing: true, gradientAccumulation: 4 }],
  ['Qwen/Qwen2.5-1.5B', { ...bf16, ...adapters }],
  ['Qwen/Qwen2.5-1.5B', { ...bf16, ...adapters, quantization: 'nf4', precision: 'amp-bf16' }],
  ['Qwen/Qwen2.5-1.5B', { ...bf16, ...adapters, loop: 'lightning', gradientCheckpointing: true }],
  ['Qwen/Qwen3-30B-A3B', { ...bf16, ...adapters, gradientAccumulation: 2 }],
  [llama, { ...bf16, trainable: { names: ['model.layers.15.*'], inputGradients: false } }],
  [llama, { ...bf16, precision: 'fp32', zero: { reduceBucket: 1_000_000 } }],
]

test.each(sharded)('nothing that fits 64 GPUs is said not to fit several: %s, %j', (name, changes) => {
  const { config } = knownModel(name)
  const footprints = new FootprintCache()
  const sizes = Array.from({ length: 14 }, (_, exponent) => 2 ** exponent)
  for (const sharding of ['fsdp', 'zero3'] as const) {
    const probe = new EstimateProbe(footprints.of(specOf(name, { ...changes, gpus: 64, sharding }), config, gpu), gpu)
    const largest = sizes.findLast(size => probe.fits(size)) ?? 0
    const fitting = [largest, 1.25 * largest, 1.5 * largest].map(Math.ceil).filter(size => size > 0 && probe.fits(size))
    expect(fitting).not.toEqual([])
    for (const microBatch of fitting) expect([microBatch, couldFit(name, { ...changes, microBatch })]).toContain(true)
  }
  expect(couldFit(name, { ...changes, microBatch: 16_384 })).toBe(false)
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
