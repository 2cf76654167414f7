/** What a command writes. File names and what files say are strangers' text: nothing in it steers a terminal or hides from a reader. */
import { formatWhere, type Problem } from '../engine/errors.ts'
import { escapeInvisible, withVisibleText } from '../engine/render/invisible.ts'
import { type Detail, renderTerminal } from '../engine/render/terminal.ts'
import type { ConfigResult, Report } from '../engine/report/schema.ts'

/** Of the terminal; where the output goes elsewhere, what reads well there. */
export function columns(): number {
  return process.stdout.columns ?? 100
}

/** For people, on stdout. */
export function print(text: string): void {
  console.log(escapeInvisible(text))
}

/** For programs, on stdout: characters stand as the report has them. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, null, 2))
}

export interface PrintedReport {
  /** Each on a line below the report. */
  readonly sentences?: readonly string[]
  /** See `renderTerminal`. */
  readonly judges?: boolean
  /** How much is told of a config; all of it unless told. */
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
    judges,
    details: new Map(visible.configs.map((config, index) => [config, detailOf(report.configs[index]!)])),
  })
  // The page has colours of our own, which are not to be escaped.
  console.log([page, ...(sentences.length === 0 ? [] : ['', ...sentences.map(escapeInvisible)])].join('\n'))
}

/** On stderr, so that stdout holds only the result. */
export function complain(text: string): void {
  console.error(escapeInvisible(text))
}

/** A file's name is one line, whatever is in it. */
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
