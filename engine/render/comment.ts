/**
 * The comment on a pull request. Within five seconds it must tell whether to care, what to change, and how far to trust
 * the figures.
 */
import type { Report } from '../report/schema.ts'
import { sizeOf } from './fit.ts'
import { footer } from './footer.ts'
import { details, escapeText } from './markdown.ts'
import { renderConfigs, separator } from './sections.ts'
import { furtherUpgrades, upgradeParagraphs } from './upgrade.ts'
import { headline, stateMark, verdictState } from './verdict.ts'
import { visibleConfigs } from './visible.ts'

/** Hidden first line by which the comment is found again and updated in place. */
export const commentMarker = '<!-- memorymark:report -->'

/** GitHub's limit is 65,536 characters. */
const COMMENT_LIMIT = 65_536

/** Of the fold. */
const FIGURES = 'Figures: memory, speed, cost, sizes tried, what was assumed'

export interface CommentOptions {
  /** Plain text about what happens next, such as a measurement under way. */
  readonly statusNote?: string
  /** Paragraphs of Markdown that the reader needs to understand the verdict. */
  readonly remarks?: readonly string[]
  /** Clauses of Markdown for the last line: what the reader can do. */
  readonly hints?: readonly string[]
  /** Address of the page that explains the method; http(s) only. */
  readonly howMeasuredUrl?: string
  /** An HTML comment as the last line, which GitHub does not show. */
  readonly hiddenNote?: string
}

/** Markdown within GitHub's limit; undefined for a report without configs. */
export function renderComment(report: Report, options: CommentOptions = {}): string | undefined {
  if (report.configs.length === 0) return undefined
  const opening = [
    commentMarker,
    `### ${stateMark(verdictState(report))} MemoryMark: ${headline(report)}`,
    ...(options.statusNote ? [`*${escapeText(options.statusNote)}*`] : []),
    ...(options.remarks ?? []),
  ]
  const closing = [footer(report, options), ...(options.hiddenNote ? [options.hiddenNote] : [])].join('\n')
  const { paragraphs, decided, said } = visibleConfigs(report)
  const visible = [...opening, ...paragraphs, ...upgradeParagraphs(report)]
  const upgrades = furtherUpgrades(report)
  const limitBytes =
    COMMENT_LIMIT - sizeOf([...visible, details(FIGURES, upgrades.join(separator)), closing].join(separator))
  const configs = renderConfigs(report, { limitBytes, withDetails: true, decided, said })
  const figures = [...upgrades, configs].filter(text => text !== '').join(separator)
  const folded = figures === '' ? [] : [details(FIGURES, figures)]
  return [...visible, ...folded, closing].join(separator)
}
