import { expect, test } from 'vitest'
import { costFigures } from '../../../../server/dashboard/result/cost-figures.ts'

const terms = { pricePerHourUsd: 0.6, hoursPerRun: 2, runsPerYear: 100, gpus: 1 }

const exactly = (speedup: number) => ({ low: speedup, high: speedup })

test('costs are hours × price, and savings cost × (1 − 1/speedup) × runs', () => {
  expect(costFigures(terms, 1.5, exactly(1.5))).toEqual({ now: '$1.20', recommended: '$0.80', year: '$40' })
})

test('every GPU is paid for', () => {
  expect(costFigures({ ...terms, gpus: 8 }, 2, exactly(2))).toEqual({
    now: '$9.60',
    recommended: '$4.80',
    year: '$480',
  })
})

test('a recommendation that is slower costs more, and says so with a sign', () => {
  expect(costFigures(terms, 0.8, exactly(0.8)).year).toBe('−$30')
})

test('a saving below half a dollar is none, without a sign', () => {
  expect(costFigures(terms, 0.999, exactly(0.999)).year).toBe('$0')
})

test('savings are told as the range that the speedup leaves open', () => {
  expect(costFigures(terms, 1.5, { low: 1.25, high: 1.8 }).year).toBe('$20–50')
  expect(costFigures(terms, 1.2, { low: 0.95, high: 1.6 }).year).toBe('up to $40')
})
