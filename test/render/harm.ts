/** What untrusted text in a report could still do where the report is shown: as Markdown on GitHub, in annotations, in a terminal. */
import { renderCheck } from '../../engine/render/check.ts'
import { renderComment } from '../../engine/render/comment.ts'
import { renderTerminal } from '../../engine/render/terminal.ts'
import type { Report } from '../../engine/report/schema.ts'
import { liveText, structure, toHtml } from './rendered.ts'

/** The comment, which is the job summary too, and the check's summary and text; rendered once a report, which takes longest. */
export function pagesOf(report: Report): readonly string[] {
  const pages = rendered.get(report) ?? rendering(report)
  rendered.set(report, pages)
  return pages
}
const rendered = new WeakMap<Report, readonly string[]>()

function rendering(report: Report): readonly string[] {
  const { summary, text } = renderCheck(report)
  return [renderComment(report) ?? '', summary, text].map(toHtml)
}

/**
 * One sentence for each way in which `report` acts; `harmless` is the same report with plain words in place of the hostile ones,
 * without which the structure of the page is not judged.
 */
export function harmfulIn(report: Report, harmless: Report | undefined): string[] {
  const expected = harmless && pagesOf(harmless).map(structure)
  const { annotations } = renderCheck(report)
  return [
    ...pagesOf(report).flatMap((html, index) => harmfulInHtml(html, expected?.[index])),
    ...harmfulInPlainText(renderTerminal(report, { color: false, columns: 80 }).replaceAll('\n', ' '), 'the terminal'),
    ...annotations.flatMap(({ title, message }) => harmfulInPlainText(title + message, 'an annotation')),
  ]
}

const live: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/@[a-z0-9]/i, 'a mention'],
  [/#\d|\bgh-\d/i, 'a reference'],
  [/[0-9a-f]{7}/i, 'a commit'],
  [/:\/\/|www\./i, 'a link'],
]

export function harmfulInMarkdown(markdown: string, expectedStructure?: readonly string[]): string[] {
  return harmfulInHtml(toHtml(markdown), expectedStructure)
}

function harmfulInHtml(html: string, expectedStructure?: readonly string[]): string[] {
  const text = liveText(html)
  return [
    ...(expectedStructure === undefined || structure(html).join(' ') === expectedStructure.join(' ')
      ? []
      : ['the structure of the page differs']),
    ...live.filter(([pattern]) => pattern.test(text)).map(([, what]) => `${what} is live`),
    ...(/[\u202A-\u202E\u2066-\u2069\u200B-\u200F\u{E0000}-\u{E007F}]/u.test(html)
      ? ['text is invisible or turned']
      : []),
  ]
}

function harmfulInPlainText(text: string, where: string): string[] {
  return /\p{C}/u.test(text) ? [`a control character reaches ${where}`] : []
}
