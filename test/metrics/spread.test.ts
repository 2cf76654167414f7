import { expect, test } from 'vitest'
import { widestSpread } from '../../engine/metrics/spread.ts'
import type { Trial } from '../../engine/probes/trial.ts'

function timed(stepMillis: number, stepMillisSpread?: number): Trial {
  const spread = stepMillisSpread === undefined ? {} : { stepMillisSpread }
  return { microBatch: 8, provenance: 'measured', outcome: { kind: 'fits', stepMillis, ...spread } }
}
const outOfMemory: Trial = { microBatch: 16, provenance: 'measured', outcome: { kind: 'out-of-memory' } }

const widest = (trials: readonly Trial[]) =>
  widestSpread(trials, ({ stepMillis, stepMillisSpread }) => [stepMillis, stepMillisSpread])

test('the widest of the trials counts, in percent of its own figure, rounded up to a tenth', () => {
  expect(widest([timed(100, 1), timed(300, 4.53), outOfMemory])).toBe(1.6)
})

test('steps that agree have a spread of nothing', () => {
  expect(widest([timed(100, 0)])).toBe(0)
})

test('trials without a spread tell of none', () => {
  expect(widest([timed(100), outOfMemory])).toBeUndefined()
})

test('no band is wider than all of the figure', () => {
  expect(widest([timed(1, 5)])).toBe(100)
})
