import { expect, test } from 'vitest'
import { replacedLines, withLines } from '../../engine/advice/replaced-lines.ts'

const before = 'a: 1\nb: 2\nc: 3\n'

test('a changed line is one for one, and an added one comes with the line behind it', () => {
  expect(replacedLines(before, 'a: 1\nb: 5\nc: 3\n')).toEqual([{ line: 2, before: 'b: 2', after: ['b: 5'] }])
  expect(replacedLines(before, 'a: 1\nb: 2\nx: 0\nc: 3\n')).toEqual([
    { line: 3, before: 'c: 3', after: ['x: 0', 'c: 3'] },
  ])
})

test.each([
  ['changed and added', 'a: 9\nx: 0\nb: 8\nc: 3\n'],
  ['added at the end', 'a: 1\nb: 2\nc: 3\nx: 0\n'],
  ['all changed', 'x\ny\nz\n'],
  ['nothing', before],
])('what is told makes the text again: %s', (_, after) => {
  const lines = replacedLines(before, after)
  expect(lines && withLines(before, lines)).toBe(after)
})

test('lines that go are not told', () => {
  expect(replacedLines(before, 'a: 1\nc: 3\n')).toBeUndefined()
})

test('ends of lines are those of the file', () => {
  const text = 'a: 1\r\nb: 2\r\n'
  const after = 'a: 1\r\nb: 3\r\nc: 4\r\n'
  expect(withLines(text, replacedLines(text, after) ?? [])).toBe(after)
})

test('a file of both kinds of ends keeps them', () => {
  const text = 'a: 1\r\nb: 2\nc: 3'
  const after = 'a: 1\r\nb: 9\nc: 3'
  expect(withLines(text, replacedLines(text, after) ?? [])).toBe(after)
})
