/**
 * Prints a command's output. File names and file contents are untrusted, so that characters that could control a
 * terminal or mislead a reader are escaped.
 */
import { formatWhere, type Problem } from '../engine/base/errors.ts'
import { escapeInvisible, withVisibleText } from '../engine/render/invisible.ts'
import { type Detail, renderTerminal } from '../engine/render/terminal.ts'
import { wrap } from '../engine/render/terminal-page.ts'
import type { ConfigResult, Report } from '../engine/report/schema.ts'

/** The terminal's width, or a readable one if the output is not a terminal. */
export function columns(): number {
  return process.stdout.columns ?? 100
}

/** The terminal's width; without end where the output goes elsewhere, so that a line there stays one. */
export function lineLength(): number {
  return process.stdout.columns ?? Number.POSITIVE_INFINITY
}

/** Sentences, one a line, broken at spaces where the terminal ends. */
export function sentenceLines(sentences: readonly string[]): string {
  return sentences.map(sentence => wrap(sentence, '', lineLength())).join('\n')
}

/** For people, on stdout. */
export function print(text: string): void {
  console.log(escapeInvisible(text))
}

/** For programs, on stdout: text stays as in the report. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2))
}

export interface PrintedReport {
  /** Sentences below the report, one a line. */
  readonly sentences?: readonly string[]
  /** See `renderTerminal`. */
  readonly judges?: boolean
  /** How much to print about a config; everything by default. */
  readonly detailOf?: (config: ConfigResult) => Detail
}

export function printReport(
  report: Report,
  { sentences = [], judges = true, detailOf = () => 'full' }: PrintedReport = {},
): void {
  const visible = withVisibleText(report)
  const page = renderTerminal(visible, {
    color: process.stdout.hasColors?.() ?? false,
    columns: columns(),
    tableColumns: lineLength(),
    judges,
    details: new Map(visible.configs.map((config, index) => [config, detailOf(report.configs[index]!)])),
  })
  // The page itself is not escaped, because it contains our own colour codes; the report in it is.
  console.log([page, ...(sentences.length === 0 ? [] : ['', sentenceLines(sentences.map(escapeInvisible))])].join('\n'))
}

/** Prints to stderr, so that stdout contains only the result. */
export function complain(text: string): void {
  console.error(escapeInvisible(text))
}

/** File names may contain line breaks, which are escaped. */
export function complainOf(problem: Problem): void {
  const { file, field } = problem
  const where = formatWhere({
    ...problem,
    ...(file !== undefined && { file: onOneLine(file) }),
    ...(field !== undefined && { field: onOneLine(field) }),
  })
  complain(`${where}${problem.message}. ${problem.fix}`)
}

/** With line breaks and tabs escaped as well. */
export function onOneLine(text: string): string {
  return text.replaceAll('\n', '\\n').replaceAll('\t', '\\t')
}
