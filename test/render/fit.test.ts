import { describe, expect, test } from 'vitest'
import { fitSections } from '../../engine/render/fit.ts'

const important = { forms: ['IMPORTANT full', 'IMPORTANT'], interest: 2 } as const
const minor = { forms: ['minor full', 'minor'], interest: 1 } as const

describe('fitting sections into a limit', () => {
  test('what fits stays as it is', () => {
    expect(fitSections([important, minor], 100)).toEqual(['IMPORTANT full', 'minor full'])
  })

  test('the least interesting is shortened first', () => {
    expect(fitSections([important, minor], 20)).toEqual(['IMPORTANT full', 'minor'])
  })

  test('everything is shortened before anything is left out', () => {
    expect(fitSections([important, minor], 14)).toEqual(['IMPORTANT', 'minor'])
    expect(fitSections([important, minor], 13)).toEqual(['IMPORTANT', undefined])
  })

  test('where nothing fits, nothing is shown', () => {
    expect(fitSections([important, minor], 3)).toEqual([undefined, undefined])
  })

  test('sizes are counted in bytes, of which no text has fewer than characters', () => {
    expect(fitSections([{ forms: ['🟥🟥', '🟥'], interest: 0 }], 7)).toEqual(['🟥'])
  })
})
