import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstJsonError } from '../../../engine/config/text/json-syntax.ts'

describe('firstJsonError', () => {
  it.each([
    ['{"a": 1,}', 8],
    ['{"a": 1 // one\n}', 8],
    ["{'a': 1}", 1],
    ['{"a": sixteen}', 6],
    ['{"a":}', 5],
    ['{"a" 1}', 5],
    ['[1 2]', 3],
    ['{"a": 01}', 7],
    ['{"a": [1}', 8],
    ['{"a": 1', 7],
    ['', 0],
    ['{} {}', 3],
    ['["\\x"]', 1],
    ['[NaN', 4],
    ['{NaN: 1}', 1],
    ['[+Infinity]', 1],
  ])('%j goes wrong at offset %i', (text, offset) => {
    expect(firstJsonError(text)).toBe(offset)
  })

  it.each(['NaN', '{"best": Infinity, "worst": -Infinity}', '[1, NaN] '])(
    "finds nothing wrong with Python's %s",
    text => {
      expect(firstJsonError(text)).toBeUndefined()
    },
  )

  it('finds nothing wrong with JSON that JSON.stringify wrote', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2, '\t'), (value, indent) => {
        expect(firstJsonError(JSON.stringify(value, null, indent))).toBeUndefined()
      }),
      { numRuns: 200 },
    )
  })

  it('points into every text that JSON.parse refuses', () => {
    const almostJson = fc
      .array(fc.constantFrom('{', '}', '[', ']', ':', ',', '"a"', '1', '-', 'true', 'nul', ' ', '\u007f', '"', '\\'))
      .map(parts => parts.join(''))
    fc.assert(
      fc.property(almostJson, text => {
        const offset = firstJsonError(text)
        if (isJson(text)) expect(offset).toBeUndefined()
        else expect(offset).toBeLessThanOrEqual(text.length)
      }),
      { numRuns: 300 },
    )
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
