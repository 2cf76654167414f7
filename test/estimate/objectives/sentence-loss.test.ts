import { describe, expect, test } from 'vitest'
import { MIB } from '../../../engine/base/units.ts'
import type { TrainingSpec } from '../../../engine/training/spec.ts'
import { footprintOf } from '../specs.ts'

const base = { task: 'sentence-similarity', loop: 'trainer', paddedBatches: true } as const

function peakOf(changes: Partial<TrainingSpec>): number {
  return footprintOf('bert', { ...base, ...changes }).peak(16, 0).bytes
}

describe('embeddings of sentences', () => {
  test('take what PyTorch takes for pairs, and a third of the activations more for triplets', () => {
    expect(peakOf({}) / MIB).toBeCloseTo(3710.1, 0)
    expect(peakOf({ sentences: { columns: 3, loss: 'triplet' } }) / MIB).toBeCloseTo(4947.7, 0)
  })

  test('hold weights cast once for the first text and once for the others', () => {
    const [pairs, triplets] = [2, 3].map(columns =>
      footprintOf('bert', {
        ...base,
        precision: 'amp-bf16',
        sentences: { columns, loss: 'multiple-negatives-ranking' },
      }).peak(16, 0),
    )
    expect(triplets?.breakdown.weights).toBe(pairs?.breakdown.weights)
    const ofOnePass = footprintOf('bert', { precision: 'amp-bf16', loop: 'trainer', paddedBatches: true }).peak(16, 0)
    const growth = (pairs?.breakdown.weights ?? 0) - ofOnePass.breakdown.weights
    expect(growth / MIB).toBeGreaterThan(150)
  })

  test('train no pooler, which the base model has', () => {
    const resting = footprintOf('bert', base).resting(0)
    const pooler = 768 * 768 + 768
    expect(resting.breakdown.optimizerState).toBe(resting.breakdown.weights * 2 - pooler * 8 - 2 * 512 * 8)
  })

  test('of large batches are compared with all others, which takes memory by their square', () => {
    const short = { sequenceLength: 1, gradientCheckpointing: true, precision: 'fp32' } as const
    const loss = (name: 'cosent' | 'contrastive') =>
      footprintOf('bert', { ...base, ...short, sentences: { columns: 2, loss: name } }).peak(20_000, 0).bytes
    expect(loss('cosent') - loss('contrastive')).toBeGreaterThan(20_000 ** 2 * 4)
  })
})
