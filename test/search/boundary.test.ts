import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findLargest, nextMove } from '../../engine/search/boundary.ts'
import { Grid } from '../../engine/search/grid.ts'

const grid = new Grid()

interface Search {
  readonly largest: number | undefined
  readonly trials: readonly number[]
}

/** A search where every batch up to `limit` fits. */
function search(limit: number, predicted: number): Search {
  const trials: number[] = []
  const largest = findLargest(grid, grid.indexOf(predicted), batch => {
    trials.push(batch)
    return batch <= limit
  })
  return { largest, trials }
}

describe('the search for the largest batch', () => {
  test('verifies a right prediction with two trials', () => {
    expect(search(288, 288)).toEqual({ largest: 288, trials: [288, 296] })
  })

  test('takes one trial more when the prediction is one place too high', () => {
    expect(search(288, 296)).toEqual({ largest: 288, trials: [296, 288] })
  })

  test('takes one trial more when the prediction is one place too low', () => {
    expect(search(288, 280)).toEqual({ largest: 288, trials: [280, 288, 304, 296] })
  })

  test('gallops away from a bad prediction, then halves', () => {
    const { largest, trials } = search(288, 16)
    expect(largest).toBe(288)
    expect(trials).toEqual([16, 24, 40, 72, 136, 264, 520, 392, 328, 296, 280, 288])
  })

  test('finds that not even one sample fits', () => {
    expect(search(0, 1)).toEqual({ largest: undefined, trials: [1] })
    expect(search(0, 64).largest).toBeUndefined()
  })

  test('finds that one sample fits and two do not', () => {
    expect(search(1, 1)).toEqual({ largest: 1, trials: [1, 2] })
  })

  test('ends at the end of the grid where everything fits', () => {
    expect(search(Number.POSITIVE_INFINITY, 8).largest).toBe(1_000_000)
    expect(search(Number.POSITIVE_INFINITY, 1_000_000)).toEqual({ largest: 1_000_000, trials: [1_000_000] })
  })

  test('takes a prediction outside the grid for its nearest end', () => {
    expect(nextMove({ fits: -1, fails: grid.length }, grid, -7)).toEqual({ kind: 'try', index: 0 })
    expect(nextMove({ fits: -1, fails: grid.length }, grid, 10 ** 9)).toEqual({ kind: 'try', index: grid.length - 1 })
  })

  test('is done when the two sides meet', () => {
    expect(nextMove({ fits: 4, fails: 5 }, grid, 4)).toEqual({ kind: 'done', largest: 4 })
  })
})

const anyLimit = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 1_000_000 }))

describe('any boundary, any prediction', () => {
  test('the answer is that of the exhaustive sweep', () => {
    fc.assert(
      fc.property(anyLimit, anyLimit, (limit, predicted) => {
        const swept = limit < 1 ? undefined : grid.at(grid.indexOf(limit))
        expect(search(limit, predicted).largest).toBe(swept)
      }),
    )
  })

  test('of a size that is known to fit, none is tried up to it', () => {
    fc.assert(
      fc.property(anyLimit, anyLimit, fc.nat(), (limit, predicted, below) => {
        const swept = limit < 1 ? -1 : grid.indexOf(limit)
        const known = swept < 0 ? -1 : below % (swept + 1)
        const trials: number[] = []
        const found = findLargest(
          grid,
          grid.indexOf(predicted),
          batch => trials.push(batch) > 0 && batch <= limit,
          known,
        )
        expect(found).toBe(swept < 0 ? undefined : grid.at(swept))
        expect(trials.filter(batch => grid.indexOf(batch) <= known)).toEqual([])
      }),
    )
  })

  test('no size is tried twice', () => {
    fc.assert(
      fc.property(anyLimit, anyLimit, (limit, predicted) => {
        const { trials } = search(limit, predicted)
        expect(new Set(trials).size).toBe(trials.length)
      }),
    )
  })

  test('the trials grow with the logarithm of the distance', () => {
    fc.assert(
      fc.property(anyLimit, anyLimit, (limit, predicted) => {
        const distance = Math.abs(grid.indexOf(limit) - grid.indexOf(predicted))
        expect(search(limit, predicted).trials.length).toBeLessThanOrEqual(2 * Math.log2(distance + 1) + 4)
      }),
    )
  })
})
