/** A step without gradient accumulation is cut from one with it, or played by itself: both are the same. */
import { expect, test } from 'vitest'
import { Footprint } from '../../engine/estimate/footprint.ts'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { defaultGpu as a10 } from '../../engine/gpus/catalogue.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { knownModel, specOf, WORKSPACE_BYTES } from './specs.ts'

const lora: TrainingSpec['lora'] = { rank: 8, targets: ['q_proj', 'v_proj'], dropout: 0 }
const llama = { sequenceLength: 256, precision: 'bf16', loop: 'trainer' } as const

const cut: readonly (readonly [string, string, Partial<TrainingSpec>])[] = [
  ['a Trainer', 'bert', { loop: 'trainer' }],
  ['a Trainer in 16 bits', 'gpt2', { loop: 'trainer', precision: 'amp-bf16' }],
  ['adapters', 'meta-llama/Llama-3.2-1B', { ...llama, lora }],
  ['checkpointed blocks', 'meta-llama/Llama-3.2-1B', { ...llama, gradientCheckpointing: true }],
  ['convolutions', 'resnet-50', { loop: 'trainer' }],
  ['copies on four GPUs', 'bert', { loop: 'trainer', gpus: 4 }],
]

const played: readonly (readonly [string, string, Partial<TrainingSpec>])[] = [
  ['a loop that keeps its outputs', 'bert', { loop: 'plain' }],
  ['Lightning, which zeroes gradients behind the forward pass', 'bert', { loop: 'lightning' }],
  ['PyTorch 1.13, which keeps gradients from step to step', 'bert', { loop: 'trainer', versions: { torch: '1.13' } }],
  ['an optimizer in the backward pass', 'bert', { loop: 'trainer', optimizerInBackward: true }],
  ['ZeRO-2 over four GPUs', 'bert', { loop: 'trainer', gpus: 4, sharding: 'zero2' }],
]

/** The same step, after one with accumulation was asked for and without. */
function bothWays(model: string, changes: Partial<TrainingSpec>) {
  const { config } = knownModel(model)
  const footprints = new FootprintCache()
  const accumulating = footprints.of(specOf(model, { ...changes, gradientAccumulation: 2 }), config, a10)
  const alone = specOf(model, { ...changes, gradientAccumulation: 1 })
  return { accumulating, behind: footprints.of(alone, config, a10), byItself: new Footprint(alone, config) }
}

test.each([...cut, ...played])('%s takes the same either way: %s', (_, model, changes) => {
  const { behind, byItself } = bothWays(model, changes)
  for (const batch of [1, 7, 32]) {
    expect(behind.peak(batch, WORKSPACE_BYTES)).toEqual(byItself.peak(batch, WORKSPACE_BYTES))
    expect(behind.firstPeakBytes(batch, WORKSPACE_BYTES)).toBe(byItself.firstPeakBytes(batch, WORKSPACE_BYTES))
    for (const usableBytes of [Number.POSITIVE_INFINITY, 1.05 * byItself.peakBytes(batch, WORKSPACE_BYTES)]) {
      const fit = byItself.fit(batch, usableBytes, WORKSPACE_BYTES)
      expect(behind.fit(batch, usableBytes, WORKSPACE_BYTES)).toEqual(fit)
    }
  }
  expect(behind.overStep(8, WORKSPACE_BYTES, 40)).toEqual(byItself.overStep(8, WORKSPACE_BYTES, 40))
})

test.each(cut)('%s is played once for both: %s', (_, model, changes) => {
  const { accumulating, behind } = bothWays(model, changes)
  expect(behind.timeline.step).toBe(accumulating.timeline.step)
})

test.each(played)('%s is played by itself: %s', (_, model, changes) => {
  const { accumulating, behind } = bothWays(model, changes)
  expect(behind.timeline.step).not.toBe(accumulating.timeline.step)
})
