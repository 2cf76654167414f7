import { describe, expect, it } from 'vitest'
import type { TrainingSpec } from '../../../../engine/training/spec.ts'
import { footprintOf } from '../../specs.ts'

const parameters = ['gate_up_proj', 'down_proj']
const base = {
  microBatch: 1,
  sequenceLength: 64,
  precision: 'bf16',
  loop: 'trainer',
  optimizer: 'adamw-fused',
} as const
const lora = { rank: 16, targets: [], dropout: 0, parameters }
const peakOf = (changes: Partial<TrainingSpec>) =>
  footprintOf('Qwen/Qwen3-30B-A3B', { ...base, gradientCheckpointing: true, lora, ...changes }).peak(1, 0)

/** A pair of factors for each of 128 experts in 48 layers: of [1536, 2048] and of [2048, 768]. */
const ADAPTERS = 48 * 128 * 16 * (1536 + 2048 + 2048 + 768)

describe("adapters on experts' matrices", () => {
  it.each([{}, { expertStyle: 'axolotl-kernels' }] as const)('with %j keep two moments in float32', changes => {
    expect(peakOf(changes).breakdown.optimizerState).toBe(2 * 4 * ADAPTERS)
  })

  it("add a layer's matrices and their gradients as peft does, and stay products in Axolotl's kernels", () => {
    const matrices = 2 * 128 * 3 * 768 * 2048
    expect(peakOf({}).bytes - peakOf({ expertStyle: 'axolotl-kernels' }).bytes).toBeGreaterThan(matrices)
  })

  it('are not meant by a path that ends in a shared expert', () => {
    const shared = { rank: 16, dropout: 0, targets: ['shared_expert.up_proj', 'shared_expert.down_proj'] }
    const model = 'Qwen/Qwen1.5-MoE-A2.7B'
    const { optimizerState } = footprintOf(model, { ...base, lora: shared }).peak(1, 0).breakdown
    // In 24 layers, of [5632, 2048] and of [2048, 5632].
    expect(optimizerState).toBe(2 * 4 * 24 * 2 * 16 * (5_632 + 2_048))
  })

  it('that no matrix is named for are refused', () => {
    expect(() => peakOf({ lora: { ...lora, parameters: ['w1'] } })).toThrow('has no linear layer named w1')
  })
})
