import { expect, test } from 'vitest'
import { ranked } from '../../engine/advice/rank.ts'
import type { AdvisedLever, LeverId } from '../../engine/report/advised-levers.ts'

const GIB = 2 ** 30

function lever(changes: LeverId[], freedGib: number, ratio: number, others: Partial<AdvisedLever> = {}): AdvisedLever {
  return {
    changes,
    effect: 'none',
    fit: 'fits',
    peakBytes: (100 - freedGib) * GIB,
    errorBand: { lowPercent: -5, highPercent: 5 },
    microBatch: 1,
    gradientAccumulation: 8,
    speed: { ratio, range: { low: ratio, high: ratio } },
    lines: [],
    ...others,
  }
}

const order = (...levers: AdvisedLever[]) => ranked(levers, 100 * GIB).map(({ changes }) => changes.join('+'))

test('what fits comes before what may, another card next, and last what does not fit', () => {
  const card = { gpu: { id: 'h100', name: 'H100', pricePerHourUsd: 3 } }
  expect(
    order(
      lever(['micro-batch'], 90, 1, { fit: 'does-not-fit' }),
      lever(['another-card'], 0, 3, card),
      lever(['fused-loss'], 80, 1, { fit: 'may-fit' }),
      lever(['half-length'], 10, 0.5, { effect: 'changes-the-result' }),
    ),
  ).toEqual(['half-length', 'fused-loss', 'another-card', 'micro-batch'])
})

test('the training is changed as little as can be, before speed counts', () => {
  expect(
    order(
      lever(['qlora', 'half-length'], 90, 2, { effect: 'changes-the-result' }),
      lever(['qlora'], 50, 0.9, { effect: 'changes-the-result' }),
      lever(['8-bit-optimizer'], 50, 1, { effect: 'numerics' }),
      lever(['gradient-checkpointing'], 50, 0.5),
    ),
  ).toEqual(['gradient-checkpointing', '8-bit-optimizer', 'qlora', 'qlora+half-length'])
})

test('then the loss of speed for the memory that is freed, and of what costs none, what frees most', () => {
  expect(
    order(
      lever(['gradient-checkpointing'], 40, 0.8),
      lever(['micro-batch'], 20, 0.95),
      lever(['fused-loss'], 5, 1),
      lever(['sdpa-attention'], 10, 1.5),
    ),
  ).toEqual(['sdpa-attention', 'fused-loss', 'micro-batch', 'gradient-checkpointing'])
})
