import { describe, expect, test } from 'vitest'
import { ratioWithin } from '../../engine/metrics/range.ts'
import { type Figures, judge } from '../../engine/verdict/judge.ts'
import { type Condition, defaultPolicy, type Policy } from '../../engine/verdict/policy.ts'

const exactly = (speedup: number) => ({ speedup, speedupRange: { low: speedup, high: speedup } })
const within = (speedup: number, percent: number) => ({ speedup, speedupRange: ratioWithin(speedup, percent) })
const errorBand = (percent: number) => ({ lowPercent: -percent, highPercent: percent })

/** A tenth of the GPU in use, 1.4 times the throughput at the same effective batch and $34 of $119 a year to be had. */
const wasteful: Figures = {
  fits: true,
  mayNotFit: false,
  usableBytes: 20_000,
  peakBytes: 2_000,
  provenance: 'measured',
  errorBand: errorBand(0),
  ...exactly(1.4),
  keepsEffectiveBatch: true,
  costPerYearUsd: 119,
  gpuHoursPerYear: 200,
  isAssumed: false,
  hasUnreadSettings: false,
  isEvaluationTooLarge: false,
  isLoadingTooLarge: false,
  isSavingTooLarge: false,
  isResumingTooLarge: false,
}

const lenient: Policy = { failOn: [], warnOn: [] }
const waste = (abovePercent: number): Condition => ({ kind: 'waste', abovePercent })
const loss = (abovePercent: number): Condition => ({ kind: 'throughput-loss', abovePercent })
const cost = (aboveUsd: number): Condition => ({ kind: 'annual-cost', aboveUsd })

describe('a config that does not fit', () => {
  const tooLarge: Figures = { ...wasteful, fits: false, peakBytes: 31_000 }

  test.each([
    ['the default policy', defaultPolicy],
    ['a policy of one condition', { failOn: [waste(40)], warnOn: [] }],
    ['a policy that blocks nothing else', { failOn: [{ kind: 'does-not-fit' } as const], warnOn: [] }],
  ])('is blocked under %s', (_, policy) => {
    expect(judge(tooLarge, policy)).toEqual({ state: 'blocked', reasons: [{ kind: 'does-not-fit' }] })
  })

  test('is a warning under a policy that blocks nothing', () => {
    expect(judge(tooLarge, lenient)).toEqual({
      state: 'warning',
      reasons: [{ kind: 'does-not-fit', spared: 'never' }],
    })
  })
})

describe('a measurement', () => {
  test('that a GPU refused does not fit, whatever the spread of those that it took', () => {
    const refused: Figures = { ...wasteful, fits: false, peakBytes: 20_001, errorBand: errorBand(2) }
    expect(judge(refused, defaultPolicy)).toEqual({ state: 'blocked', reasons: [{ kind: 'does-not-fit' }] })
  })

  test.each([
    // 1.12 × 0.99 / 1.01 = 1.098 and 1.12 × 0.98 / 1.02 = 1.076
    [0, 'blocked'],
    [0.5, 'blocked'],
    [1, 'warning'],
    [2, 'warning'],
  ] as const)('of 12 %% more throughput, ±%d %% each, against a limit of 10 %%: %s', (percent, state) => {
    const figures = { ...wasteful, ...within(1.12, percent) }
    expect(judge(figures, { failOn: [loss(10)], warnOn: [] }).state).toBe(state)
  })

  test('whose savings are above the limit in a part of the spread only is remarked on', () => {
    // 1.4 → 1.32 with ±3 % on either side: of 34 dollars a year, 28.7 are certain.
    const figures = { ...wasteful, ...within(1.4, 3) }
    const judged = (aboveUsd: number) => judge(figures, { failOn: [cost(aboveUsd)], warnOn: [] })
    expect(judged(28)).toEqual({
      state: 'blocked',
      reasons: [{ kind: 'condition', condition: cost(28), actual: expect.closeTo(34, 9) }],
    })
    expect(judged(29)).toMatchObject({
      state: 'warning',
      reasons: [{ actual: expect.closeTo(34, 9), spared: 'within-error' }],
    })
  })

  test('wastes nothing where the larger batch may be no faster', () => {
    const figures = { ...wasteful, ...within(1.06, 1) }
    expect(judge(figures, { failOn: [waste(40)], warnOn: [] })).toMatchObject({
      state: 'warning',
      reasons: [{ actual: 90, spared: 'within-error' }],
    })
  })
})

describe('an estimate', () => {
  const estimate = (peakBytes: number): Figures => ({
    ...wasteful,
    fits: peakBytes <= wasteful.usableBytes,
    peakBytes,
    provenance: 'estimated',
    errorBand: errorBand(3),
  })

  test.each([20_001, 20_600])('that needs %i of 20,000 bytes, ±3 %%, may fit and is remarked on', peakBytes => {
    expect(judge(estimate(peakBytes), defaultPolicy)).toEqual({
      state: 'warning',
      reasons: [{ kind: 'does-not-fit', spared: 'within-error' }],
    })
  })

  test('that fits throughout its band by what is allocated, but not with the fragments of the allocator, may not fit', () => {
    expect(judge({ ...estimate(19_000), mayNotFit: true }, { failOn: [], warnOn: [] })).toEqual({
      state: 'warning',
      reasons: [{ kind: 'does-not-fit', spared: 'within-error' }],
    })
    expect(judge(estimate(19_000), { failOn: [], warnOn: [] }).state).toBe('fine')
  })

  test('that is out of memory anywhere in its band is blocked', () => {
    expect(judge(estimate(20_700), defaultPolicy)).toEqual({ state: 'blocked', reasons: [{ kind: 'does-not-fit' }] })
  })

  test('whose waste is above the limit in a part of its band only is remarked on', () => {
    const policy = { failOn: [waste(40)], warnOn: [loss(5)] }
    const spared = { kind: 'condition', condition: waste(40), spared: 'within-error' }
    const remark = { kind: 'condition', condition: loss(5) }
    expect(judge(estimate(11_900), policy)).toMatchObject({ state: 'warning', reasons: [spared, remark] })
    expect(judge(estimate(11_600), policy)).toMatchObject({ state: 'blocked', reasons: [{ condition: waste(40) }] })
  })
})

describe('each condition', () => {
  test.each([
    ['waste', waste(89), waste(90), 90],
    ['throughput loss', loss(39), loss(41), 40],
    ['annual cost', cost(33), cost(34), 34],
  ])('%s blocks above its limit and not at it', (_, broken, kept, actual) => {
    const verdict = judge(wasteful, { failOn: [broken], warnOn: [] })
    expect(verdict.state).toBe('blocked')
    expect(verdict.reasons).toEqual([{ kind: 'condition', condition: broken, actual: expect.closeTo(actual, 9) }])
    expect(judge(wasteful, { failOn: [kept], warnOn: [] })).toEqual({ state: 'fine', reasons: [] })
  })

  test('of warn-on only remarks', () => {
    const verdict = judge(wasteful, { failOn: [], warnOn: [waste(40)] })
    expect(verdict).toEqual({
      state: 'warning',
      reasons: [{ kind: 'condition', condition: waste(40), actual: 90 }],
    })
  })

  test('that blocks is told with all others that block, and silences the remarks', () => {
    const { state, reasons } = judge(wasteful, { failOn: [waste(40), cost(10)], warnOn: [loss(5)] })
    expect(state).toBe('blocked')
    expect(reasons).toHaveLength(2)
  })
})

describe('idle memory that nothing could use', () => {
  test('is fine, however much of it there is', () => {
    const saturated = { ...wasteful, ...exactly(1.04) }
    expect(judge(saturated, defaultPolicy)).toEqual({ state: 'fine', reasons: [] })
  })

  test('is waste from a speedup of 1.05 on', () => {
    expect(judge({ ...wasteful, ...exactly(1.05) }, { failOn: [waste(40)], warnOn: [] }).state).toBe('blocked')
  })
})

test('a config that fills its GPU is fine', () => {
  const full = { ...wasteful, peakBytes: 18_500, ...exactly(1) }
  expect(judge(full, defaultPolicy)).toEqual({ state: 'fine', reasons: [] })
})

describe('the default policy', () => {
  const { gainFloor } = defaultPolicy
  const gain = (overrides: Partial<Figures>) => judge({ ...wasteful, ...overrides }, defaultPolicy)

  test('blocks a gain of a fifth at the same effective batch that is worth a day', () => {
    expect(gain({}).state).toBe('blocked')
    expect(gain(exactly(1.2)).state).toBe('warning')
  })

  test('only warns of a gain that needs another effective batch, however large', () => {
    expect(gain({ ...exactly(5), keepsEffectiveBatch: false })).toMatchObject({
      state: 'warning',
      reasons: [{ condition: { kind: 'throughput-loss', abovePercent: 20 } }],
    })
    expect(gain({ ...exactly(1.19), keepsEffectiveBatch: false }).state).toBe('fine')
  })

  test('blocks nothing that may be below a fifth', () => {
    expect(gain({ speedup: 1.4, speedupRange: { low: 1.2, high: 1.7 } })).toMatchObject({
      state: 'warning',
      reasons: [{ spared: 'within-error' }, {}, {}],
    })
  })

  test('blocks nothing below its floor, at the low end of the gain', () => {
    // 119 × (1 − 1 / 1.4) = $34, and 200 × (1 − 1 / 1.4) = 57 hours
    expect(gain({ gpuHoursPerYear: 170 })).toMatchObject({
      state: 'warning',
      reasons: [{ spared: 'below-floor' }, {}, {}],
    })
    expect(gain({ gpuHoursPerYear: 170, costPerYearUsd: 180 }).state).toBe('blocked')
    expect(gain({ speedup: 1.4, speedupRange: { low: 1.3, high: 1.6 } }).reasons[0]).toMatchObject({
      spared: 'below-floor',
    })
    expect(gainFloor).toEqual({ usdPerYear: 50, gpuHoursPerYear: 50 })
  })
})

describe('what was assumed', () => {
  test('never blocks, neither by memory nor by waste', () => {
    const assumed = { ...wasteful, isAssumed: true }
    expect(judge({ ...assumed, fits: false, peakBytes: 90_000 }, defaultPolicy)).toEqual({
      state: 'warning',
      reasons: [{ kind: 'does-not-fit', spared: 'assumed' }],
    })
    expect(judge(assumed, { failOn: [waste(40)], warnOn: [] })).toMatchObject({
      state: 'warning',
      reasons: [{ spared: 'assumed' }],
    })
  })
})

test('an estimate that fits, but not throughout its band, is remarked on', () => {
  const estimate = {
    ...wasteful,
    ...exactly(1),
    provenance: 'estimated' as const,
    errorBand: { lowPercent: -1, highPercent: 12 },
  }
  expect(judge({ ...estimate, peakBytes: 17_800 }, defaultPolicy)).toEqual({ state: 'fine', reasons: [] })
  expect(judge({ ...estimate, peakBytes: 17_900 }, defaultPolicy)).toEqual({
    state: 'warning',
    reasons: [{ kind: 'does-not-fit', spared: 'within-error' }],
  })
})
