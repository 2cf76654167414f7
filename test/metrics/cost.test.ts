import { expect, test } from 'vitest'
import { costPerRunUsd, savingsPerRunUsd } from '../../engine/metrics/cost.ts'

const a10 = { hoursPerRun: 2, pricePerHourUsd: 0.6, gpus: 1 }

test('a run costs hours × price × GPUs', () => {
  expect(costPerRunUsd(a10)).toBe(1.2)
  expect(costPerRunUsd({ ...a10, gpus: 8 })).toBe(9.6)
})

test('a run at twice the speed costs half', () => {
  expect(costPerRunUsd(a10, 2)).toBe(0.6)
})

test('what a speedup spares is cost × (1 − 1/speedup)', () => {
  expect(savingsPerRunUsd(a10, 1.5)).toBeCloseTo(0.4, 12)
  expect(savingsPerRunUsd(a10, 1)).toBe(0)
})

test('a slower batch costs more', () => {
  expect(savingsPerRunUsd(a10, 0.5)).toBe(-1.2)
})
