import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderCheck } from '../../engine/render/check.ts'
import { renderComment } from '../../engine/render/comment.ts'
import { renderTerminal } from '../../engine/render/terminal.ts'
import type { Report } from '../../engine/report/schema.ts'
import { hostileReport } from './fixtures.ts'
import { liveText, structure, toHtml } from './rendered.ts'

const hostileStrings: readonly (readonly [name: string, text: string])[] = [
  ['a mention', '@octocat'],
  ['a team', 'x @org/team y'],
  ['a mention after a dot', '.@octocat'],
  ['references', '#1 GH-2 org/repo#3 org/repo@deadbeefdeadbeefdeadbeefdeadbeefdeadbeef'],
  ['a script', '<script>alert(1)</script>'],
  ['a picture', '![x](https://evil.example/p.png) <img src=x onerror=alert(1)>'],
  ['a link', '[click](javascript:alert(1))'],
  ['the end of a link', '](javascript:alert(1))'],
  ['a reference definition', '\n\n[x]: https://evil.example\n\n[x]'],
  [
    'an autolink',
    'see https://evil.example, www.evil.example, ftp://evil.example, me@evil.example and <https://evil.example>',
  ],
  ['the end of a comment', '--> <b>x</b> <!--'],
  ['the end of the details', '</summary></details></sub>'],
  ['pipes', 'a | b \\| c \\\\| d |'],
  ['backticks', '` `` ``` @octocat ```` `@octocat`'],
  ['a backtick at the end', '@octocat `'],
  ['a backslash at the end', 'a\\'],
  ['a fence', '\n```\n@octocat\n```\n~~~\n'],
  ['a Mermaid diagram', '```mermaid\ngraph TD; A-->B; click A "https://evil.example"\n```'],
  ['a Mermaid directive', '"]\n%%{init: {"securityLevel": "loose"}}%%\nbar [1'],
  ['headings and rules', '\n# big\n===\n---\n***\n'],
  ['a list and a quote', '\n- [ ] a\n1. b\n> c'],
  ['a table', '\n| a | b |\n|---|---|\n| c | d |\n'],
  ['emphasis', '**a** _b_ ~~c~~ ***'],
  ['character references', '&commat;octocat &#64;octocat &lt;script&gt;'],
  ['a formula', '$\\href{https://evil.example}{x}$ $`x`$ $$y$$'],
  ['colours and a title for a terminal', '\u001B[31mred\u001B[0m\u001B]0;title\u0007\u009B2J\r'],
  ['right-to-left override', 'configs/\u202Elmay.exe\u2066\u2069\u200F'],
  ['invisible characters', 'a\u200B\u200D\u2060\uFEFF\u{E0041}b\u0000c'],
  ['line separators', 'a\u2028# b\u2029- c\u0085d'],
  ['half of a surrogate pair', 'a\uD800b'],
  ['a footnote', '[^1] \n\n[^1]: x'],
  ['something very long', '@a `|<'.repeat(285)],
]

function markdownOf(report: Report): string[] {
  const { summary, text } = renderCheck(report)
  return [renderComment(report) ?? '', summary, text]
}

const harmless = markdownOf(hostileReport('name')).map(markdown => structure(toHtml(markdown)))

/** Table rows of a failed trial that still end in their last cell. */
function failedRows(html: string): number {
  return html.match(/>failed:.*<\/td>\n<td[^>]*>measured<\/td>/g)?.length ?? 0
}

/** Of the two configs with such a trial: in the comment, the check's summary and its text. */
const failedRowsExpected = [2, 0, 2]

function expectDead(text: string): void {
  const report = hostileReport(text)
  for (const [index, markdown] of markdownOf(report).entries()) {
    const html = toHtml(markdown)
    expect(structure(html)).toEqual(harmless[index])
    // A pipe that got through would push the cell after it off the row, which GFM drops without a trace.
    expect(failedRows(html)).toBe(failedRowsExpected[index])
    const live = liveText(html)
    expect(live).not.toMatch(/@[a-z0-9]/i)
    expect(live).not.toMatch(/#\d|\bgh-\d/i)
    expect(live).not.toMatch(/[0-9a-f]{7}/i)
    expect(live).not.toMatch(/:\/\/|www\./i)
    expect(html).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B-\u200F\u{E0000}-\u{E007F}]/u)
  }
}

describe('hostile text in every string of a report', () => {
  test('the harmless structure has tables, details and no link', () => {
    expect(harmless[0]).toEqual(expect.arrayContaining(['table', 'details', 'summary', 'strong', 'sub']))
    expect(harmless.flat()).not.toContain('a')
    expect(harmless.flat()).not.toContain('img')
  })

  test.each(hostileStrings)('%s changes nothing but the text', (_name, text) => {
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

  test.each(hostileStrings)('%s cannot steer a terminal', (_name, text) => {
    const output = renderTerminal(hostileReport(text), { color: false, columns: 80 })
    expect(output).not.toMatch(/[^\P{C}\n]/u)
  })

  test.each(hostileStrings)('%s stays plain in annotations', (_name, text) => {
    for (const { title, message } of renderCheck(hostileReport(text)).annotations) {
      expect(title + message).not.toMatch(/\p{C}/u)
    }
  })
})
