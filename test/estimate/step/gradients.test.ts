/** Which parameters get a gradient, and when it is whole. Traced by torch 2.13 and transformers 5.18. */
import { expect, test } from 'vitest'
import { MIB } from '../../../engine/base/units.ts'
import type { TrainingSpec } from '../../../engine/training/spec.ts'
import { footprintOf } from '../specs.ts'

const ofFewTokens = { sequenceLength: 32, precision: 'bf16', loop: 'trainer' } as const
const kto = { kind: 'kto', reference: 'none', logProbabilities: 'llamafactory' } as const
const valueHead = { kind: 'reward', head: 'value' } as const

function peakOf(model: string, changes: Partial<TrainingSpec>) {
  return footprintOf(model, { ...ofFewTokens, ...changes }).peak(1, 0)
}

test('a pass without gradients beside the step keeps none of them waiting', () => {
  const { bytes } = peakOf('HuggingFaceTB/SmolLM2-135M', {
    method: kto,
    dropout: false,
    optimizer: 'adamw-fused',
    gradientAccumulation: 2,
  })
  expect(bytes / MIB).toBeCloseTo(1_188.36, 1)
})

test.each([
  ['adamw-fused', 1_017.47],
  ['adamw', 1_253.3],
] as const)('%s does not step with an output layer whose logits nothing reads', (optimizer, traced) => {
  expect(peakOf('EleutherAI/pythia-160m', { method: valueHead, optimizer }).bytes / MIB).toBeCloseTo(traced, 1)
})

test('partitions that GPUs share have state for it', () => {
  const stateOf = (changes: Partial<TrainingSpec>) =>
    peakOf('EleutherAI/pythia-160m', { method: valueHead, ...changes }).breakdown.optimizerState
  const outputLayer = 50_304 * 768
  const parameters = footprintOf('EleutherAI/pythia-160m', { method: valueHead }).parameterCount
  expect(stateOf({ optimizer: 'adamw-fused' }) / 4 + outputLayer).toBeCloseTo(parameters, -4)
  const whole = stateOf({ optimizer: 'adamw-fused', sharding: 'zero1', gpus: 2 })
  // Masters and two moments in float32, of a half.
  expect(whole / 12).toBeCloseTo(parameters / 2, -4)
})
