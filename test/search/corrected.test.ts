import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { corrected } from '../../engine/search/corrected.ts'

describe('a predicted peak', () => {
  test('stays as it is where no peak is known', () => {
    expect(corrected([])(7)).toBe(7)
  })

  test('is multiplied by the ratio of the only peak that is known', () => {
    const correct = corrected([{ predictedBytes: 10, peakBytes: 30 }])
    expect([correct(5), correct(10), correct(20)]).toEqual([15, 30, 60])
  })

  test('lies on the line between two known peaks, and on that line for as long again', () => {
    const correct = corrected([
      { predictedBytes: 30, peakBytes: 70 },
      { predictedBytes: 10, peakBytes: 30 },
    ])
    expect([correct(10), correct(20), correct(30), correct(50)]).toEqual([30, 50, 70, 110])
  })

  test('keeps the ratio at the end of what the lines say', () => {
    const correct = corrected([
      { predictedBytes: 10, peakBytes: 30 },
      { predictedBytes: 30, peakBytes: 70 },
    ])
    expect([correct(5), correct(100)]).toEqual([15, 220])
  })

  test('keeps to the nearest ratio where the larger of two sizes took less', () => {
    const correct = corrected([
      { predictedBytes: 10, peakBytes: 30 },
      { predictedBytes: 12, peakBytes: 29 },
    ])
    expect([correct(11), correct(24)]).toEqual([11 * (29 / 12), 58])
  })

  test('is never negative, and every known peak is told as it is', () => {
    const points = fc.uniqueArray(
      fc.record({ predictedBytes: fc.integer({ min: 1, max: 1e9 }), peakBytes: fc.integer({ min: 1, max: 1e9 }) }),
      { minLength: 1, maxLength: 6, selector: ({ predictedBytes }) => predictedBytes },
    )
    fc.assert(
      fc.property(points, fc.integer({ min: 1, max: 2e9 }), (known, predictedBytes) => {
        const correct = corrected(known)
        expect(correct(predictedBytes)).toBeGreaterThan(0)
        for (const one of known) expect(correct(one.predictedBytes) / one.peakBytes).toBeCloseTo(1, 9)
      }),
    )
  })
})
