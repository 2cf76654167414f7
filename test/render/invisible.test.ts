import { expect, test } from 'vitest'
import { escapeInvisible, withVisibleText } from '../../engine/render/invisible.ts'

test.each([
  ['right to left', 'a\u202eb', 'a\\u202eb'],
  ['an escape sequence', '\u001b[31m', '\\u001b[31m'],
  ['a carriage return', 'fine\rblocked', 'fine\\u000dblocked'],
  ['zero width', 'a\u200bb', 'a\\u200bb'],
  ['a tag outside the basic plane', '\u{e0041}', '\\udb40\\udc41'],
  ['half a pair', '\ud800', '\\ud800'],
  ['line breaks and tabs, which stay', 'a\n\tb', 'a\n\tb'],
  ['letters of any script', 'größe 大きさ 👍', 'größe 大きさ 👍'],
])('%s', (_, text, shown) => {
  expect(escapeInvisible(text)).toBe(shown)
})

test('every text of a report, at any depth', () => {
  const data = { path: 'a\u202e', size: 3, none: null, problems: [{ file: '\u001b' }] }
  expect(withVisibleText(data)).toEqual({ path: 'a\\u202e', size: 3, none: null, problems: [{ file: '\\u001b' }] })
})
