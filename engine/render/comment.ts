/** The comment on a pull request: five seconds must tell whether to care, what to change, and how far to believe it. */
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
  /** What the reader must know about the verdict; Markdown, a paragraph each. */
  readonly remarks?: readonly string[]
  /** What the reader can do, for the last line; Markdown clauses. */
  readonly hints?: readonly string[]
  /** Address of the page that explains the method; http(s) only. */
  readonly howMeasuredUrl?: string
  /** A last line that nobody sees: an HTML comment. */
  readonly hiddenNote?: string
}

/** Markdown within the limit, or undefined where there is no config and so nothing to say. */
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
