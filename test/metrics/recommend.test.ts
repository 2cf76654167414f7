import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Advice, advise, type BatchPlan } from '../../engine/metrics/recommend.ts'
import { Grid } from '../../engine/search/grid.ts'

const grid = new Grid()

/** A step of `fixed` units of time plus one per sample: half of the best rate is reached at `fixed` samples. */
const saturating =
  (fixed: number) =>
  ({ microBatch }: BatchPlan) =>
    microBatch / (fixed + microBatch)

/** Faster in proportion, without end. */
const proportional = ({ microBatch }: BatchPlan) => microBatch

type Situation = Parameters<typeof advise>[0]

/** `accumulating`: the largest beside the gradients of an earlier micro-batch; as without them by default. */
interface Given extends Omit<Situation, 'largestWithMargin'> {
  readonly largestWithMargin: number
  readonly accumulating?: number | undefined
}

function advised({ largestWithMargin: alone, ...given }: Given): Advice | undefined {
  const beside = 'accumulating' in given ? given.accumulating : alone
  return advise({ ...given, largestWithMargin: accumulates => (accumulates ? beside : alone) })
}

function recommend(given: Given): BatchPlan | undefined {
  return advised(given)?.recommended
}

function plan(microBatch: number, gradientAccumulation = 1): BatchPlan {
  return { microBatch, gradientAccumulation }
}

describe('a config that makes answers for several micro-batches at once', () => {
  const situation = { grid, largestWithMargin: 512, samplesPerSecond: proportional }

  test('keeps its effective batch, however much a larger one would bring', () => {
    expect(recommend({ ...situation, current: plan(2, 12), bounds: { dividend: 24, accumulates: true } })).toEqual(
      plan(24, 1),
    )
    expect(recommend({ ...situation, current: plan(8), bounds: { dividend: 8, accumulates: true } })).toEqual(
      plan(8, 1),
    )
  })

  test('is never told a micro-batch that its answers cannot be divided into', () => {
    expect(recommend({ ...situation, current: plan(2, 12), bounds: { dividend: 16, accumulates: true } })).toEqual(
      plan(8, 3),
    )
    expect(recommend({ ...situation, current: plan(3, 7), bounds: { dividend: 8, accumulates: true } })).toEqual(
      plan(1, 21),
    )
  })

  test('of a tool that cannot accumulate stays as it is where it fits, and shrinks where it does not', () => {
    const bounds = { dividend: 24, accumulates: false }
    expect(recommend({ ...situation, current: plan(12), bounds })).toEqual(plan(12))
    expect(recommend({ ...situation, current: plan(12), bounds, largestWithMargin: 10 })).toEqual(plan(8))
  })

  test('has nothing beyond it', () => {
    expect(
      advised({ ...situation, current: plan(2, 4), bounds: { dividend: 8, accumulates: true } })?.beyond,
    ).toBeUndefined()
  })
})

describe('a config that does not accumulate', () => {
  test('grows to the smallest batch within 2 % of the best throughput, not to the largest', () => {
    // At 512 the rate is 512/522; 98 % of it needs b/(10+b) ≥ 0.96123, so b ≥ 247.9: 248 on the grid, for which a person types 256.
    const recommended = recommend({
      current: plan(16),
      grid,
      largestWithMargin: 512,
      samplesPerSecond: saturating(10),
    })
    expect(recommended).toEqual(plan(256))
  })

  test('grows to the largest with margin where throughput still rises in proportion', () => {
    const recommended = recommend({
      current: plan(16),
      grid,
      largestWithMargin: 96,
      samplesPerSecond: proportional,
    })
    expect(recommended).toEqual(plan(96))
  })

  test('stays as it is where throughput no longer depends on the batch', () => {
    const recommended = recommend({ current: plan(16), grid, largestWithMargin: 512, samplesPerSecond: () => 100 })
    expect(recommended).toEqual(plan(16))
  })

  test('that leaves no margin shrinks, however little that brings', () => {
    const recommended = recommend({ current: plan(16), grid, largestWithMargin: 8, samplesPerSecond: () => 100 })
    expect(recommended).toEqual(plan(1, 16))
  })

  test('that is too large shrinks and accumulates, so that the effective batch stays', () => {
    const recommended = recommend({
      current: plan(64),
      grid,
      largestWithMargin: 24,
      samplesPerSecond: saturating(1),
    })
    expect(recommended).toEqual(plan(16, 4))
  })
})

describe('a config that accumulates', () => {
  test('trades accumulation for micro-batch at the same effective batch', () => {
    const recommended = recommend({
      current: plan(16, 8),
      grid,
      largestWithMargin: 256,
      samplesPerSecond: proportional,
    })
    expect(recommended).toEqual(plan(128, 1))
  })

  test('takes the largest divisor that fits, on the grid or not', () => {
    const recommended = recommend({
      current: plan(9, 10),
      grid,
      largestWithMargin: 48,
      samplesPerSecond: proportional,
    })
    expect(recommended).toEqual(plan(45, 2))
  })

  test('gives its effective batch up where every divisor costs more than a tenth of the speed', () => {
    const recommended = recommend({
      current: plan(12, 10),
      grid,
      largestWithMargin: 48,
      samplesPerSecond: proportional,
    })
    // The nearest divisor of 120 is 40, a sixth slower than 48; 120 / 48 rounds to 3.
    expect(recommended).toEqual(plan(48, 3))
  })

  test('keeps one that fits at once, although a divisor that nearly is as fast is a tenth slower than more samples', () => {
    const recommended = recommend({
      current: plan(1, 16),
      grid,
      largestWithMargin: 256,
      samplesPerSecond: ({ microBatch }) =>
        microBatch > 16 ? 200 : microBatch === 16 ? 101 : Math.min(100, 20 * microBatch),
    })
    expect(recommended).toEqual(plan(8, 2))
  })

  test('takes the smallest divisor within 2 % of the fastest', () => {
    const recommended = recommend({
      current: plan(4, 64),
      grid,
      largestWithMargin: 256,
      samplesPerSecond: saturating(1),
    })
    // 256 gives 256/257 = 0.9961; 98 % of it is 0.9762: 32 gives 0.9697, 64 gives 0.9846.
    expect(recommended).toEqual(plan(64, 4))
  })

  test('of a prime effective batch keeps it while that costs at most a tenth of the speed', () => {
    // 13 fits whole.
    expect(recommend({ current: plan(1, 13), grid, largestWithMargin: 16, samplesPerSecond: proportional })).toEqual(
      plan(13, 1),
    )
    // 127 does not: one sample at a time is half as fast as many, so the effective batch is given up for 128.
    expect(recommend({ current: plan(127, 1), grid, largestWithMargin: 40, samplesPerSecond: saturating(1) })).toEqual({
      microBatch: 16,
      gradientAccumulation: 8,
    })
    // Where size hardly matters it stays.
    expect(
      recommend({ current: plan(127, 1), grid, largestWithMargin: 40, samplesPerSecond: saturating(0.01) }),
    ).toEqual(plan(1, 127))
  })
})

describe('beyond the recommendation', () => {
  test('stands what a larger effective batch would bring, where accumulation has run out', () => {
    // 32 gives 32/42 = 0.762, and 256 gives 256/266 = 0.962, a quarter more.
    expect(advised({ current: plan(8, 4), grid, largestWithMargin: 512, samplesPerSecond: saturating(10) })).toEqual({
      recommended: plan(32),
      beyond: plan(256),
    })
  })

  test('stands nothing that brings less than a twentieth', () => {
    // 32 gives 32/33 = 0.9697, and the best there is 512/513 = 0.998.
    expect(advised({ current: plan(8, 4), grid, largestWithMargin: 512, samplesPerSecond: saturating(1) })).toEqual({
      recommended: plan(32),
    })
  })
})

describe('gradients that accumulate take memory', () => {
  const terms = { grid, largestWithMargin: 24, samplesPerSecond: proportional }

  test('so a batch that is shrunk to keep its effective batch has to leave room for them', () => {
    const saturated = { ...terms, samplesPerSecond: saturating(1) }
    expect(recommend({ ...saturated, current: plan(64), accumulating: 24 })).toEqual(plan(16, 4))
    expect(recommend({ ...saturated, current: plan(64), accumulating: 8 })).toEqual(plan(8, 8))
  })

  test('and a batch that is a whole step needs no such room', () => {
    expect(recommend({ ...terms, current: plan(2, 8), accumulating: 2 })).toEqual(plan(16))
  })

  test('without room for them accumulation is given up', () => {
    expect(recommend({ ...terms, current: plan(64), accumulating: undefined })).toEqual(plan(24))
    expect(recommend({ ...terms, current: plan(1, 64), accumulating: undefined })).toEqual(plan(24))
  })

  test('and where the batch cannot be another, there is then no advice', () => {
    const bounds = { dividend: 8, accumulates: true }
    expect(recommend({ ...terms, current: plan(8, 8), bounds, accumulating: undefined })).toBeUndefined()
  })
})

test('where nothing fits there is no advice', () => {
  const situation = { current: plan(1), grid, largestWithMargin: () => undefined, samplesPerSecond: proportional }
  expect(advise(situation)).toBeUndefined()
})

describe('any config', () => {
  const situation = fc.record({
    microBatch: fc.integer({ min: 1, max: 600 }),
    gradientAccumulation: fc.integer({ min: 1, max: 64 }),
    largestIndex: fc.nat(100),
    lessWithGradients: fc.nat(100),
    fixed: fc.double({ min: 0, max: 100, noNaN: true }),
  })
  interface Drawn {
    readonly microBatch: number
    readonly gradientAccumulation: number
    readonly largestIndex: number
    readonly lessWithGradients: number
    readonly fixed: number
  }
  const situationOf = ({ microBatch, gradientAccumulation, largestIndex, lessWithGradients, fixed }: Drawn) => ({
    grid,
    current: plan(microBatch, gradientAccumulation),
    largestWithMargin: (accumulates: boolean) => {
      const index = largestIndex - (accumulates ? lessWithGradients : 0)
      return index < 0 ? undefined : grid.at(index)
    },
    samplesPerSecond: saturating(fixed),
  })
  const fits = ({ largestWithMargin }: Situation, { microBatch, gradientAccumulation }: BatchPlan) =>
    microBatch <= (largestWithMargin(gradientAccumulation > 1) ?? 0)

  test('is never told a batch above the largest that fits with the margin', () => {
    fc.assert(
      fc.property(situation, drawn => {
        const given = situationOf(drawn)
        const { recommended, beyond } = advise(given) ?? {}
        expect(recommended).toBeDefined()
        for (const told of [recommended, beyond].filter(each => each !== undefined)) {
          expect(fits(given, told)).toBe(true)
          expect(told.gradientAccumulation).toBeGreaterThanOrEqual(1)
          expect(Number.isInteger(told.gradientAccumulation)).toBe(true)
        }
      }),
    )
  })

  test('that fits is never told a slower plan by more than the tolerance', () => {
    fc.assert(
      fc.property(situation, drawn => {
        const given = situationOf(drawn)
        fc.pre(fits(given, given.current))
        const rate = (told: BatchPlan | undefined) => (told ? given.samplesPerSecond(told) : 0)
        expect(rate(advise(given)?.recommended)).toBeGreaterThanOrEqual(0.97 * rate(given.current))
      }),
    )
  })

  test('has nothing left to do once it has followed all that is said', () => {
    fc.assert(
      fc.property(situation, drawn => {
        const given = situationOf(drawn)
        const { recommended, beyond = recommended } = advise(given) ?? {}
        if (beyond === undefined) throw new Error('no advice')
        expect(advise({ ...given, current: beyond })).toEqual({ recommended: beyond })
      }),
      // A round number that was near enough to be recommended has divisors of its own, a little faster.
      {
        examples: [
          [{ microBatch: 562, gradientAccumulation: 18, largestIndex: 33, lessWithGradients: 0, fixed: 51.65 }],
        ],
      },
    )
  })
})
