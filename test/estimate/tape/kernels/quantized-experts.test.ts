import { expect, test } from 'vitest'
import { beyondTrace } from '../../../../engine/estimate/error-band.ts'
import type { TrainingSpec } from '../../../../engine/training/spec.ts'
import { footprintOf, specOf } from '../../specs.ts'

const MODEL = 'Qwen/Qwen1.5-MoE-A2.7B'
const EXPERT_ELEMENTS = 24 * 60 * 3 * 1_408 * 2_048
const ROWS = 24 * 60 * (2 * 1_408 + 2_048)

const qlora: Partial<TrainingSpec> = {
  precision: 'bf16',
  gradientCheckpointing: true,
  loop: 'trainer',
  lora: { rank: 8, targets: ['q_proj'], dropout: 0 },
}

function weightBytes(changes: Partial<TrainingSpec>): number {
  return footprintOf(MODEL, { ...qlora, ...changes }).peak(1, 0).breakdown.weights
}

test.each([
  ['nf4', EXPERT_ELEMENTS * (1 / 2 + 4 / 64)],
  ['nf4-double', EXPERT_ELEMENTS * (1 / 2 + 1 / 64)],
  ['int8', EXPERT_ELEMENTS + ROWS * 4],
] as const)('experts in %s hold their bits and constants instead of 2 bytes a weight', (quantization, bytes) => {
  const linearsOnly = weightBytes({ quantization })
  expect(linearsOnly - weightBytes({ quantization, quantizedExperts: true })).toBeCloseTo(
    EXPERT_ELEMENTS * 2 - bytes,
    -3,
  )
})

test("Llama 4's experts, through which every token goes, are quantised too", () => {
  const scout = (changes: Partial<TrainingSpec>) =>
    footprintOf('meta-llama/Llama-4-Scout-17B-16E', { ...qlora, quantization: 'nf4', ...changes }).peak(1, 0).breakdown
      .weights
  const expertElements = 48 * 16 * 3 * 8_192 * 5_120
  expect(scout({}) - scout({ quantizedExperts: true })).toBeCloseTo(expertElements * (2 - 1 / 2 - 4 / 64), -3)
})

test('no trace has confirmed them', () => {
  expect(beyondTrace(specOf(MODEL, { quantization: 'nf4', quantizedExperts: true }))).toBe('quantised experts')
})

test('experts divided among GPUs leave each its share', () => {
  const whole = weightBytes({ gpus: 1 })
  expect(whole - weightBytes({ expertParallel: 4 })).toBeCloseTo((EXPERT_ELEMENTS * 2 * 3) / 4, -3)
})

test('transformers 4 quantises them as linear layers: the same bytes, and one matrix at a time instead of all', () => {
  const quantized = { ...qlora, quantization: 'nf4', sequenceLength: 512, fusedLoss: true } as const
  const together = footprintOf(MODEL, { ...quantized, quantizedExperts: true })
  const apart = footprintOf(MODEL, { ...quantized, versions: { transformers: '4.57' } })
  const [newest, old] = [together.peak(1, 0), apart.peak(1, 0)]
  expect(old.breakdown.weights).toBe(newest.breakdown.weights)
  const matricesOfAll = (EXPERT_ELEMENTS / 24) * 2
  expect((newest.bytes - old.bytes) / matricesOfAll).toBeGreaterThan(0.9)
  expect(footprintOf(MODEL, { ...quantized, versions: { transformers: '5.0' } }).peak(1, 0).bytes).toBe(
    footprintOf(MODEL, quantized).peak(1, 0).bytes,
  )
})

test('adapters on them are pairs of their own for every layer of every expert', () => {
  const rank = 8
  const parametersOf = (targets: readonly string[]) =>
    footprintOf('mistralai/Mixtral-8x7B-v0.1', {
      ...qlora,
      quantization: 'nf4',
      lora: { rank, targets: [...targets], dropout: 0 },
      versions: { transformers: '4.48.1' },
    }).parameterCount
  const more = parametersOf(['q_proj', 'w1', 'w2', 'w3']) - parametersOf(['q_proj'])
  expect(more).toBe(32 * 8 * 3 * rank * (4_096 + 14_336))
})
