import { describe, expect, test } from 'vitest'
import { correctionOf } from '../../engine/calibration/correction.ts'

const published = { low: 0.8, high: 1.25 }
const publishedWidth = Math.log(published.high / published.low)

function corrected(...ratios: number[]) {
  const correction = correctionOf(ratios, published)
  if (correction === undefined) throw new Error('no correction')
  return { ...correction, width: Math.log(correction.band.high / correction.band.low) / publishedWidth }
}

describe('a correction', () => {
  test('is the geometric mean of measured over estimated', () => {
    expect(corrected(0.5, 2).factor).toBeCloseTo(1, 12)
    expect(corrected(0.8, 0.8, 0.8)).toMatchObject({ runs: 3, factor: expect.closeTo(0.8, 12) })
  })

  test('is none without runs', () => {
    expect(correctionOf([], published)).toBeUndefined()
  })
})

describe('the band that is left', () => {
  test('of one run is never narrower than the published one: it says nothing of how much runs differ', () => {
    for (const ratio of [0.2, 0.9, 1, 3]) expect(corrected(ratio).width).toBeCloseTo(Math.SQRT2, 9)
  })

  test('of two runs that agree is as wide, and narrows from three on', () => {
    expect(corrected(0.9, 0.9).width).toBeCloseTo(1, 9)
    const widths = [3, 5, 14].map(runs => corrected(...Array.from({ length: runs }, () => 0.9)).width)
    expect(widths[0]).toBeLessThan(0.85)
    expect(widths).toEqual(widths.toSorted((a, b) => b - a))
  })

  test('of runs that do not agree is wider than the published one', () => {
    expect(corrected(0.5, 2, 0.6, 1.6, 1).width).toBeGreaterThan(1.5)
  })

  test('holds the next run of the same machine nine times in ten', () => {
    // Runs whose logarithms differ by ±0.05 around 0.8: the band has to hold nearly all, and be far from the published one.
    const steps = Array.from({ length: 41 }, (_, index) => 0.8 * Math.exp((index - 20) / 400))
    const { factor, band, width } = corrected(...steps.filter((_, index) => index % 3 === 0))
    const inside = steps.filter(ratio => ratio >= factor * band.low && ratio <= factor * band.high)
    expect(inside.length / steps.length).toBeGreaterThanOrEqual(0.9)
    expect(width).toBeLessThan(0.6)
  })
})
