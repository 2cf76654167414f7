/** The last line of comment and check: which policy decided, and how to check the figures. */
import type { Report } from '../report/schema.ts'
import { escapeText, htmlLink, inlineCode } from './markdown.ts'
import { sparedConditions } from './spared.ts'
import { decidingConditions, findingOf, verdictState } from './verdict.ts'

export interface FooterOptions {
  /** Markdown clauses. */
  readonly hints?: readonly string[]
  /** http(s) only. */
  readonly howMeasuredUrl?: string
}

export function footer(report: Report, { hints = [], howMeasuredUrl }: FooterOptions = {}): string {
  const parts = [
    ...decidedBy(report),
    ...hints,
    `MemoryMark ${escapeText(report.toolVersion, 40)}`,
    ...(howMeasuredUrl ? [htmlLink('how this is measured', howMeasuredUrl)] : []),
  ]
  return `<sub>${parts.join(' · ')}</sub>`
}

function decidedBy(report: Report): string[] {
  const state = verdictState(report)
  if (state === 'fine' || state === 'nothing-to-measure') return []
  const setting = state === 'blocked' ? 'fail-on' : 'warn-on'
  const present = new Set(report.configs.map(findingOf))
  const causes = [
    ...(present.has('does-not-fit') ? ['a config that does not fit'] : []),
    ...(present.has('may-not-fit') && state === 'warning' ? ['a config that may not fit'] : []),
    ...(state === 'warning' ? sparedConditions(report).map(condition => inlineCode(`fail-on: ${condition}`)) : []),
    ...decidingConditions(report, state).map(condition => inlineCode(`${setting}: ${condition}`)),
    ...(present.has('not-analysed') ? ['a config that could not be analysed'] : []),
  ]
  return causes.length === 0 ? [] : [`${state === 'blocked' ? 'Blocked' : 'Warning raised'} by ${causes.join(', ')}`]
}
