import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Grid } from '../../engine/search/grid.ts'
import { MAX_BATCH } from '../../engine/training/batch-size.ts'

describe('the grid', () => {
  const grid = new Grid()

  test('has every size up to 8, then multiples of 8', () => {
    expect(Array.from({ length: 12 }, (_, index) => grid.at(index))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 16, 24, 32, 40])
  })

  test('ends at the largest batch that a spec may have', () => {
    expect(grid.at(grid.length - 1)).toBe(MAX_BATCH)
  })

  test('takes another step when told', () => {
    const fours = new Grid(4)
    expect(Array.from({ length: 7 }, (_, index) => fours.at(index))).toEqual([1, 2, 3, 4, 8, 12, 16])
    const ones = new Grid(1)
    expect(Array.from({ length: 4 }, (_, index) => ones.at(index))).toEqual([1, 2, 3, 4])
  })

  test('finds the place of a size, and for one between two places the lower', () => {
    expect(grid.indexOf(1)).toBe(0)
    expect(grid.indexOf(8)).toBe(7)
    expect(grid.indexOf(15)).toBe(7)
    expect(grid.indexOf(16)).toBe(8)
    expect(grid.indexOf(288.9)).toBe(grid.indexOf(288))
  })

  test('has no place for less than one sample', () => {
    expect(grid.indexOf(0)).toBe(-1)
    expect(grid.indexOf(0.5)).toBe(-1)
  })
})

const step = fc.integer({ min: 1, max: 64 })

describe('any grid', () => {
  test('leads from a place to its size and back', () => {
    fc.assert(
      fc.property(step, fc.nat(), (size, any) => {
        const grid = new Grid(size)
        const index = any % grid.length
        expect(grid.indexOf(grid.at(index))).toBe(index)
      }),
    )
  })

  test('rises with every place', () => {
    fc.assert(
      fc.property(step, fc.nat(100_000), (size, any) => {
        const grid = new Grid(size)
        const index = any % (grid.length - 1)
        expect(grid.at(index + 1)).toBeGreaterThan(grid.at(index))
      }),
    )
  })

  test('gives the largest size not above a batch', () => {
    fc.assert(
      fc.property(step, fc.integer({ min: 1, max: MAX_BATCH - 64 }), (size, batch) => {
        const grid = new Grid(size)
        const index = grid.indexOf(batch)
        expect(grid.at(index)).toBeLessThanOrEqual(batch)
        expect(grid.at(index + 1)).toBeGreaterThan(batch)
      }),
    )
  })
})
