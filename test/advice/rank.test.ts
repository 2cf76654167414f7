import { describe, expect, test } from 'vitest'
import { ranked } from '../../engine/advice/rank.ts'
import type { AdvisedLever, LeverFit, LeverId } from '../../engine/report/advised-levers.ts'

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

const orderOf =
  (fit: LeverFit) =>
  (...levers: AdvisedLever[]) =>
    ranked(levers, { peakBytes: 100 * GIB, fit }).map(({ changes }) => changes.join('+'))
const order = orderOf('may-fit')
const orderOfTooLarge = orderOf('does-not-fit')

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

describe('where the config does not fit', () => {
  test('the best of each kind comes before the second of any, of a combination by the change that frees most', () => {
    const [adapters, both] = [
      lever(['lora'], 70, 1, { effect: 'changes-the-result' }),
      lever(['micro-batch', 'zero-2'], 55, 1),
    ]
    const divided = [lever(['zero-3'], 60, 1), lever(['zero-2'], 40, 1, { fit: 'does-not-fit' })]
    const all = [adapters, both, ...divided]
    expect(orderOfTooLarge(...all)).toEqual(['zero-3', 'lora', 'micro-batch+zero-2', 'zero-2'])
    expect(order(...all)).toEqual(['zero-3', 'micro-batch+zero-2', 'lora', 'zero-2'])
  })

  test('what more than doubles the time comes behind what changes the result', () => {
    const [adapters, offload] = [
      lever(['lora'], 70, 1, { effect: 'changes-the-result' }),
      lever(['zero-3-offload'], 90, 0.45),
    ]
    expect(orderOfTooLarge(offload, adapters)).toEqual(['lora', 'zero-3-offload'])
    expect(order(offload, adapters)).toEqual(['zero-3-offload', 'lora'])
  })

  test('no kind that does not fit comes before a second one that does', () => {
    const unfit = lever(['half-length'], 10, 1, { effect: 'changes-the-result', fit: 'does-not-fit' })
    expect(orderOfTooLarge(unfit, lever(['zero-2'], 50, 1), lever(['zero-3'], 60, 1))).toEqual([
      ...['zero-3', 'zero-2', 'half-length'],
    ])
  })
})

test('adapters on a base in 4 bits also round it, and come behind adapters alone', () => {
  expect(
    order(
      lever(['qlora'], 90, 1, { effect: 'changes-the-result' }),
      lever(['lora'], 70, 1, { effect: 'changes-the-result' }),
    ),
  ).toEqual(['lora', 'qlora'])
})
