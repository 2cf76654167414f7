/** The first step's peak against PyTorch's own trace of it: torch 2.13 and transformers 5.18 on the meta device with CUDA's kernels; MiB. */
import { expect, it } from 'vitest'
import { MIB } from '../../engine/base/units.ts'
import { Footprint } from '../../engine/estimate/footprint.ts'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { knownModel, specOf } from './specs.ts'

const traced: readonly [string, Partial<TrainingSpec>, number][] = [
  ['gpt2', { microBatch: 8, sequenceLength: 512 }, 6_964.6],
  // Its peak is the optimizer's, which the later steps have too.
  ['gpt2', { microBatch: 1, sequenceLength: 128 }, 2_373.5],
  ['gpt2', { microBatch: 8, sequenceLength: 512, gradientAccumulation: 2, precision: 'amp-bf16' }, 6_660.9],
  [
    'Qwen/Qwen2.5-0.5B',
    {
      microBatch: 4,
      sequenceLength: 512,
      precision: 'bf16',
      lora: { rank: 16, targets: ['q_proj', 'v_proj'], dropout: 0.05 },
    },
    6_829.1,
  ],
]

it.each(traced)('of %s %j', (name, changes, mib) => {
  const spec = specOf(name, { loop: 'trainer', ...changes })
  const footprint = new Footprint(spec, knownModel(name).config)
  const bytes = footprint.firstPeakBytes(spec.microBatch, 0)
  expect(bytes / MIB).toBeCloseTo(mib, 0)
  expect(bytes).toBeLessThanOrEqual(footprint.peakBytes(spec.microBatch, 0))
})
