import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hostileReport } from './fixtures.ts'
import { harmfulIn, harmfulInMarkdown, pagesOf } from './harm.ts'
import { hostileStrings } from './hostile-strings.ts'
import { structure, toHtml } from './rendered.ts'

const harmless = hostileReport('name')
const harmlessStructure = pagesOf(harmless).map(structure)

/** Table rows of a failed trial that still end in their last cell. */
function failedRows(html: string): number {
  return html.match(/>failed:.*<\/td>\n<td[^>]*>measured<\/td>/g)?.length ?? 0
}

/** Of the two configs with such a trial: in the comment, the check's summary and its text. */
const failedRowsExpected = [2, 0, 2]

function expectDead(text: string): void {
  const report = hostileReport(text)
  expect(harmfulIn(report, harmless)).toEqual([])
  // A pipe that got through would push the cell after it off the row, which GFM drops without a trace.
  expect(pagesOf(report).map(failedRows)).toEqual(failedRowsExpected)
}

describe('the judge of harm', () => {
  test.each(['@octocat', '#1', 'deadbeef', 'https://evil.example', '<img src=x>', 'a\u202Eb', '- a'])(
    'sees %j where it stands unescaped',
    text => {
      expect(harmfulInMarkdown(text, structure(toHtml('name')))).not.toEqual([])
      expect(harmfulInMarkdown('name', structure(toHtml('name')))).toEqual([])
    },
  )
})

describe('hostile text in every string of a report', () => {
  test('the harmless structure has tables, details and no link', () => {
    expect(harmlessStructure[0]).toEqual(expect.arrayContaining(['table', 'details', 'summary', 'strong', 'sub']))
    expect(harmlessStructure.flat()).not.toContain('a')
    expect(harmlessStructure.flat()).not.toContain('img')
  })

  test.each(hostileStrings)('%s changes nothing but the text, on GitHub and in a terminal', (_name, text) => {
    expectDead(text)
  })

  test('nor does any mixture of them', () => {
    const pieces = fc.constantFrom(
      ...hostileStrings.map(([, text]) => text),
      ...'@#|`\\<>[]()!*_~&$:\n\t /-.'.split(''),
      'a',
      '1',
    )
    fc.assert(
      fc.property(fc.array(pieces, { minLength: 1, maxLength: 12 }), parts => expectDead(parts.join('').slice(0, 400))),
      { numRuns: 60, seed: 42 },
    )
  })
})
