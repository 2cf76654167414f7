import { describe, expect, test } from 'vitest'
import { savingBetween } from '../../engine/report/saving.ts'
import type { AnalysedConfig } from '../../engine/report/schema.ts'
import { a10, point, wasteful } from '../render/fixtures.ts'

/** 2 hours a run, 100 runs a year, $0.60 an hour: 200 GPU hours and $120 a year. */
const before = wasteful({ current: point({ microBatch: 16, samplesPerSecond: 300 }) })
const improved = (overrides: Partial<AnalysedConfig> = {}) =>
  wasteful({ current: point({ microBatch: 128, samplesPerSecond: 400 }), ...overrides })

describe('the same training with other batch sizes', () => {
  test('saves the hours that its throughput spares, at the price of the GPU', () => {
    expect(savingBetween(before, improved())).toEqual({
      kind: 'saved',
      gpuHoursPerYear: 50,
      usdPerYear: 30,
      throughputProvenance: 'modelled',
    })
  })

  test('saves less than nothing where it is slower', () => {
    expect(savingBetween(improved(), before)).toMatchObject({ kind: 'saved', usdPerYear: -40 })
  })

  test('on a dearer GPU costs what that one does', () => {
    const dearer = improved({ gpu: { ...a10, pricePerHourUsd: 1 } })
    expect(savingBetween(before, dearer)).toMatchObject({ gpuHoursPerYear: 50, usdPerYear: -30 })
  })

  test('on four GPUs takes four times the hours', () => {
    const [four, also] = [before, improved()].map(config => ({ ...config, spec: { ...config.spec, gpus: 4 } }))
    if (four === undefined || also === undefined) throw new Error('two configs')
    expect(savingBetween(four, also)).toMatchObject({ gpuHoursPerYear: 200, usdPerYear: 120 })
  })

  test('is measured where both sides were', () => {
    const measured = { throughputProvenance: 'measured' } as const
    expect(savingBetween({ ...before, ...measured }, improved(measured))).toMatchObject({
      kind: 'saved',
      throughputProvenance: 'measured',
    })
  })
})

describe('no figure is given', () => {
  test.each([
    ['other-training', before, improved({ spec: { ...before.spec, sequenceLength: 512 } })],
    ['did-not-fit', { ...before, current: point({ fits: false }) }, improved()],
    ['does-not-fit', before, improved({ current: point({ fits: false }) })],
    ['known-differently', before, improved({ throughputProvenance: 'measured' })],
  ] as const)('where the two are %s', (why, one, other) => {
    expect(savingBetween(one, other)).toEqual({ kind: 'not-comparable', why })
  })
})
