import { describe, expect, test } from 'vitest'
import { type NumberChange, rewriteNumbers } from '../../../engine/config/text/rewrite.ts'

const change = (line: number, column: number, from: number, to: number): NumberChange => ({
  at: { line, column },
  from,
  to,
})

describe('numbers are replaced where they stand', () => {
  test('and every other character is kept, comments and line ends included', () => {
    const text = '# sizes\r\nbatch:   16   # per GPU\r\naccumulation: 8\r\n'
    expect(rewriteNumbers(text, [change(2, 10, 16, 128), change(3, 15, 8, 1)])).toEqual({
      kind: 'rewritten',
      text: '# sizes\r\nbatch:   128   # per GPU\r\naccumulation: 1\r\n',
    })
  })

  test('in whichever order they are named, on one line too', () => {
    const text = '{"batch": 16, "accumulation": 8}'
    expect(rewriteNumbers(text, [change(1, 11, 16, 128), change(1, 31, 8, 1)])).toEqual({
      kind: 'rewritten',
      text: '{"batch": 128, "accumulation": 1}',
    })
  })

  test('behind a byte order mark, which columns do not count', () => {
    expect(rewriteNumbers('\uFEFFbatch: 16', [change(1, 8, 16, 32)])).toEqual({
      kind: 'rewritten',
      text: '\uFEFFbatch: 32',
    })
  })
})

describe('nothing is replaced', () => {
  test.each([
    ['is an alias', 'batch: *size\n', 8],
    ['has an anchor that others use', 'batch: &size 16\n', 14],
    ['is another number', 'batch: 24\n', 8],
    ['is the beginning of a longer one', 'batch: 160\n', 8],
    ['is written with an exponent', 'batch: 16e0\n', 8],
    ['is written in hexadecimal', 'batch: 0x10\n', 8],
    ['is in quotes', 'batch: "16"\n', 8],
    ['lies behind the end', 'batch: 16\n', 40],
  ])('where what stands there %s', (_, text, column) => {
    expect(rewriteNumbers(text, [change(1, column, 16, 32)])).toEqual({ kind: 'not-plain', at: { line: 1, column } })
  })

  test('where one of two cannot be: half a change would be another training', () => {
    const text = 'batch: 16\naccumulation: *steps\n'
    expect(rewriteNumbers(text, [change(1, 8, 16, 32), change(2, 15, 8, 4)]).kind).toBe('not-plain')
  })
})
