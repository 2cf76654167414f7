import { describe, expect, test } from 'vitest'
import { type Figures, judge } from '../../engine/verdict/judge.ts'
import { type Condition, defaultPolicy, type Policy } from '../../engine/verdict/policy.ts'

/** A tenth of the GPU in use, 1.4 times the throughput and $34 a year to be had. */
const wasteful: Figures = {
  fits: true,
  usableBytes: 20_000,
  peakBytes: 2_000,
  provenance: 'measured',
  errorBandPercent: 0,
  speedup: 1.4,
  throughputBandPercent: 0,
  savingsPerYearUsd: 34,
}

const lenient: Policy = { failOn: [], warnOn: [] }
const waste = (abovePercent: number): Condition => ({ kind: 'waste', abovePercent })
const loss = (abovePercent: number): Condition => ({ kind: 'throughput-loss', abovePercent })
const cost = (aboveUsd: number): Condition => ({ kind: 'annual-cost', aboveUsd })

describe('a config that does not fit', () => {
  const tooLarge: Figures = { ...wasteful, fits: false, peakBytes: 31_000 }

  test.each([
    ['the default policy', defaultPolicy],
    ['a policy that blocks nothing', lenient],
  ])('is blocked under %s', (_, policy) => {
    expect(judge(tooLarge, policy)).toEqual({ state: 'blocked', reasons: [{ kind: 'does-not-fit' }] })
  })
})

describe('a measurement', () => {
  test('that a GPU refused does not fit, whatever the spread of those that it took', () => {
    const refused: Figures = { ...wasteful, fits: false, peakBytes: 20_001, errorBandPercent: 2 }
    expect(judge(refused, defaultPolicy)).toEqual({ state: 'blocked', reasons: [{ kind: 'does-not-fit' }] })
  })

  test.each([
    // 1.12 × 0.99 / 1.01 = 1.098 and 1.12 × 0.98 / 1.02 = 1.076
    [0, 'blocked'],
    [0.5, 'blocked'],
    [1, 'warning'],
    [2, 'warning'],
  ] as const)('of 12 %% more throughput, ±%d %% each, against a limit of 10 %%: %s', (throughputBandPercent, state) => {
    const figures = { ...wasteful, speedup: 1.12, throughputBandPercent }
    expect(judge(figures, { failOn: [loss(10)], warnOn: [] }).state).toBe(state)
  })

  test('whose savings are above the limit in a part of the spread only is remarked on', () => {
    // 1.4 → 1.32 with ±3 % on either side: of 34 dollars a year, 28.7 are certain.
    const figures = { ...wasteful, throughputBandPercent: 3 }
    const judged = (aboveUsd: number) => judge(figures, { failOn: [cost(aboveUsd)], warnOn: [] })
    expect(judged(28)).toEqual({ state: 'blocked', reasons: [{ kind: 'condition', condition: cost(28), actual: 34 }] })
    expect(judged(29)).toMatchObject({ state: 'warning', reasons: [{ actual: 34, spared: 'within-error' }] })
  })

  test('wastes nothing where the larger batch may be no faster', () => {
    const figures = { ...wasteful, speedup: 1.06, throughputBandPercent: 1 }
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
    errorBandPercent: 3,
  })

  test.each([20_001, 20_600])('that needs %i of 20,000 bytes, ±3 %%, may fit and is remarked on', peakBytes => {
    expect(judge(estimate(peakBytes), defaultPolicy)).toEqual({
      state: 'warning',
      reasons: [{ kind: 'does-not-fit', spared: 'within-error' }],
    })
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
    const saturated = { ...wasteful, speedup: 1.04, savingsPerYearUsd: 4 }
    expect(judge(saturated, defaultPolicy)).toEqual({ state: 'fine', reasons: [] })
  })

  test('is waste from a speedup of 1.05 on', () => {
    expect(judge({ ...wasteful, speedup: 1.05 }, defaultPolicy).state).toBe('blocked')
  })
})

test('a config that fills its GPU is fine', () => {
  const full = { ...wasteful, peakBytes: 18_500, speedup: 1, savingsPerYearUsd: 0 }
  expect(judge(full, defaultPolicy)).toEqual({ state: 'fine', reasons: [] })
})
