import { expect, it } from 'vitest'
import type { TrainingSpec } from '../../engine/training/spec.ts'
import { footprintOf } from './specs.ts'

const base = { microBatch: 1, sequenceLength: 1024, precision: 'bf16', loop: 'trainer', optimizer: 'sgd' } as const
const peakOf = (changes: Partial<TrainingSpec>, batch = 1) =>
  footprintOf('meta-llama/Llama-3.1-8B', { ...base, gradientCheckpointing: true, ...changes }).peak(batch, 0)
const divided = (gpus: number, dividesTokens: boolean) => ({ gpus, tensorParallel: { gpus, dividesTokens } })

/** Of 8,030,261,248 parameters the embedding and 65 norms of 4,096. */
const [PARAMETERS, EMBEDDING, NORMS] = [8_030_261_248, 128_256 * 4096, 65 * 4096]

it('every GPU holds its part of the matrices, and whole what no plan divides', () => {
  const whole = EMBEDDING + NORMS
  expect(peakOf(divided(4, false)).breakdown.weights).toBe(2 * ((PARAMETERS - whole) / 4 + whole))
})

it("torchtune's plan divides the embedding too, and what checkpoints keep of the residuals", () => {
  expect(peakOf(divided(4, true)).breakdown.weights).toBe(2 * ((PARAMETERS - NORMS) / 4 + NORMS))
  const kept = (dividesTokens: boolean) => peakOf(divided(4, dividesTokens), 16).breakdown.activations
  // 32 checkpoints of 16 · 1,024 tokens in bf16, and a quarter of each.
  expect(kept(false) - kept(true)).toBeGreaterThan(0.7 * 32 * 16 * 1024 * 4096 * 2)
})

it('GPUs that divide one model are no copies of it', () => {
  const state = (changes: Partial<TrainingSpec>) =>
    peakOf({ ...divided(4, false), optimizer: 'adamw-fused', ...changes }).breakdown.optimizerState
  expect(state({ gpus: 8, sharding: 'fsdp' })).toBe(state({}) / 2)
})

it('a number that divides no heads is told', () => {
  expect(() => peakOf(divided(3, false))).toThrow(
    'Tensor parallelism of meta-llama/Llama-3.1-8B over 3 GPUs is not modelled',
  )
})
