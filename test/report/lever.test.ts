import { describe, expect, test } from 'vitest'
import type { TrainingSpec } from '../../engine/config/spec.ts'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { defaultGpu, findGpu, type Gpu } from '../../engine/gpus/catalogue.ts'
import { EstimateProbe } from '../../engine/probes/estimate.ts'
import { bestLever } from '../../engine/report/lever.ts'
import { footprintOf, knownModel, specOf } from '../estimate/specs.ts'

function leverOf(name: string, changes: Partial<TrainingSpec>, gpu: Gpu = defaultGpu) {
  const spec = specOf(name, changes)
  return bestLever(spec, knownModel(name).config, gpu, peakOf(name, changes, gpu), new FootprintCache())
}

function peakOf(name: string, changes: Partial<TrainingSpec>, gpu: Gpu = defaultGpu) {
  const { microBatch } = specOf(name, changes)
  return new EstimateProbe(footprintOf(name, changes), gpu).peak(microBatch)
}

function peakBytes(name: string, changes: Partial<TrainingSpec>): number {
  return peakOf(name, changes).bytes
}

describe('the change that frees most', () => {
  test('is gradient checkpointing where activations dominate, with the peak that it would have', () => {
    const changes = { microBatch: 128 }
    expect(leverOf('bert', changes)).toEqual({
      change: 'gradient-checkpointing',
      peakBytes: peakBytes('bert', { ...changes, gradientCheckpointing: true }),
    })
  })

  test('is the fused optimizer where the optimizer makes the peak', () => {
    expect(leverOf('bert', { microBatch: 1, sequenceLength: 1 })?.change).toBe('fused-optimizer')
  })

  test('is 16-bit autocast for convolutions, which are not checkpointed', () => {
    expect(leverOf('resnet', { microBatch: 128 })?.change).toBe('bf16-autocast')
  })

  test('is fused attention where the s² matrices weigh most and checkpointing is on already', () => {
    const changes = {
      attention: 'eager',
      gradientCheckpointing: true,
      precision: 'amp-bf16',
      microBatch: 64,
      sequenceLength: 1_024,
      optimizer: 'sgd',
      task: 'sequence-classification',
    } as const
    expect(leverOf('gpt2', changes)?.change).toBe('sdpa-attention')
  })
})

describe('no lever', () => {
  test('is named where none frees a twentieth of the peak', () => {
    const changes = { microBatch: 1, sequenceLength: 1, optimizer: 'sgd', precision: 'amp-bf16' } as const
    expect(leverOf('bert', changes)).toBeUndefined()
  })

  test('is named for a forward-backward step, which nobody trains with', () => {
    expect(leverOf('bert', { step: 'forward-backward', microBatch: 128 })).toBeUndefined()
  })

  test('is a precision that the GPU lacks', () => {
    const t4 = findGpu('t4')
    expect(leverOf('resnet', { microBatch: 128 }, t4)?.change).not.toBe('bf16-autocast')
  })
})
