import { expect, test } from 'vitest'
import { costFigures } from '../../../../engine/server/dashboard/result/cost-figures.ts'

const terms = { pricePerHourUsd: 0.6, hoursPerRun: 2, runsPerYear: 100, gpus: 1 }

test('costs are hours × price, and savings cost × (1 − 1/speedup) × runs', () => {
  expect(costFigures(terms, 1.5)).toEqual({ now: '$1.20', recommended: '$0.80', year: '$40' })
})

test('every GPU is paid for', () => {
  expect(costFigures({ ...terms, gpus: 8 }, 2)).toEqual({ now: '$9.60', recommended: '$4.80', year: '$480' })
})

test('a recommendation that is slower costs more, and says so with a sign', () => {
  expect(costFigures(terms, 0.8).year).toBe('−$30')
})

test('a saving below half a dollar is none, without a sign', () => {
  expect(costFigures(terms, 0.999).year).toBe('$0')
})
