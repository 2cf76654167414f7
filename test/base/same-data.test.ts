/** Whether two values say the same, held against Node's own comparison. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSameData } from '../../engine/base/same-data.ts'

test('says what isDeepStrictEqual says of whatever JSON can hold', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (a, b) => {
      expect(isSameData(a, b)).toBe(isDeepStrictEqual(a, b))
      expect(isSameData(a, structuredClone(a))).toBe(true)
    }),
  )
})

test('takes no notice of the order of keys, and tells undefined from absent and lists from records', () => {
  expect(isSameData({ a: 1, b: { c: [2] } }, { b: { c: [2] }, a: 1 })).toBe(true)
  expect(isSameData({ a: undefined }, {})).toBe(false)
  expect(isSameData({ a: undefined }, { b: undefined })).toBe(false)
  expect(isSameData([1], { 0: 1 })).toBe(false)
  expect(isSameData(null, {})).toBe(false)
  expect(isSameData(Number.NaN, Number.NaN)).toBe(true)
})
