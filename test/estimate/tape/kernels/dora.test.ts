/** DoRA's adapters against PyTorch's own trace (torch 2.13, transformers 5.18, peft 0.21). */
import { expect, test } from 'vitest'
import { MIB } from '../../../../engine/base/units.ts'
import type { TrainingSpec } from '../../../../engine/training/spec.ts'
import { footprintOf } from '../../specs.ts'

const lora: NonNullable<TrainingSpec['lora']> = {
  rank: 8,
  targets: ['q_proj', 'v_proj', 'up_proj'],
  dropout: 0.1,
  form: 'dora',
}

function peakMib(changes: Partial<TrainingSpec>): number {
  const spec: Partial<TrainingSpec> = {
    sequenceLength: 64,
    precision: 'bf16',
    optimizer: 'sgd',
    loop: 'trainer',
    lora,
    ...changes,
  }
  return footprintOf('HuggingFaceTB/SmolLM2-135M', spec).peak(1, 0).bytes / MIB
}

test.each<readonly [string, Partial<TrainingSpec>, number]>([
  ['a layer that drops nothing any more computes again', { dropout: false }, 525.25],
  [
    'so do adapters in the type of the weights',
    { precision: 'amp-bf16', lora: { ...lora, inWeightsType: true } },
    943.81,
  ],
  ['nothing is computed again in eval mode', { step: 'forward-backward' }, 344.96],
  ['in train mode without an optimizer it is', { step: 'forward-backward', dropout: true }, 503.26],
])('%s', (_, changes, traced) => {
  expect(peakMib(changes) / traced).toBeCloseTo(1, 3)
})
