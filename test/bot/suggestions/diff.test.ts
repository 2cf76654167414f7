import { describe, expect, test } from 'vitest'
import { isShown, shownLines } from '../../../bot/suggestions/diff.ts'

const patch = [
  '@@ -1,4 +1,5 @@ model: bert',
  ' a',
  '-b',
  '+b2',
  '+@@ -1,1 +90,9 @@',
  ' c',
  ' d',
  '@@ -20 +21 @@',
  '-x',
  '+y',
  '@@ -40,2 +40,0 @@',
  '-gone',
  '-gone too',
].join('\n')

describe('the lines that a diff shows', () => {
  test('are those of its hunks in the new file; a hunk that only deletes has none', () => {
    expect(shownLines(patch)).toEqual([
      { first: 1, last: 5 },
      { first: 21, last: 21 },
    ])
  })

  test.each([
    [{ first: 2, last: 4 }, true],
    [{ first: 5, last: 5 }, true],
    [{ first: 5, last: 6 }, false],
    [{ first: 5, last: 21 }, false],
    [{ first: 21, last: 21 }, true],
    [{ first: 90, last: 90 }, false],
  ])('%o: %s', (lines, expected) => {
    expect(isShown(lines, patch)).toBe(expected)
  })

  test('are none where GitHub sends no patch', () => {
    expect(shownLines('')).toEqual([])
  })
})
