/** Levers in the comment: the best few at the top, all of them in the fold. */
import type { AdvisedLever } from '../report/advised-levers.ts'
import type { AnalysedConfig, Report } from '../report/schema.ts'
import { helpful, leverDiff, leverHeadings, leverLine, leverRow, leverSentences } from './levers.ts'
import { escapeText, fencedLines, table } from './markdown.ts'
import { isPlainLine } from './plain.ts'
import { mattering } from './ranking.ts'

/** Rows in the fold; `memorymark advise` has them all. */
const MAX_ROWS = 12

/** Levers shown with their changed lines. */
const IN_FULL = 3

/**
 * Levers with their numbers with which the config fits or may fit; if there are none, those that free most. Without the one whose
 * changed lines are already shown as the diff of the config. Undefined where none is left.
 */
export function leverList(config: AnalysedConfig, most: number, isDiffShown: boolean): string | undefined {
  const numbered = shownOf(config).map((lever, index) => ({ lever, number: index + 1 }))
  const best = numbered.slice(0, most)
  const shown = best.filter(({ lever }) => !(isDiffShown && changesTheSame(lever, config)))
  const [first] = shown
  if (first === undefined) return undefined
  const other = shown.length < best.length ? 'Other ways' : 'Ways'
  const lead = first.lever.fit === 'does-not-fit' ? 'What frees most memory' : `${other} to fit into memory`
  // Not a numbered list: Markdown counts on by itself where a number is left out.
  const lines = shown.map(({ lever, number }) => `- **${number}.** ${escapeText(leverLine(lever, config))}`)
  return [`${lead}, each by itself:`, '', ...lines].join('\n')
}

function changesTheSame({ lines }: AdvisedLever, { change = [] }: AnalysedConfig): boolean {
  const isSame = ({ line, after }: AdvisedLever['lines'][number]) =>
    change.some(changed => changed.line === line && after.length === 1 && after[0] === changed.after)
  return lines.length > 0 && lines.every(isSame)
}

/** The lever that a number in the comment refers to: in the list of the gravest config that has levers. */
export function numberedLever(
  report: Report,
  number: number,
): { readonly config: AnalysedConfig; readonly lever: AdvisedLever | undefined } | undefined {
  const config = mattering(report).find(each => shownOf(each).length > 0)
  return config && { config, lever: shownOf(config)[number - 1] }
}

/** Every row with its figures, and the lines of the best. */
export function leverDetails(config: AnalysedConfig): string[] {
  const shown = shownOf(config)
  if (shown.length === 0) return []
  const rows = shown.map((lever, index) => leverRow(lever, index, config).map(cell => escapeText(cell)))
  const best = shown.slice(0, IN_FULL).flatMap(inFull)
  return [
    '**Ways to free memory**, each estimated by itself; speed modelled, against the config as it is if it had the memory.',
    table([[...leverHeadings], ...rows], ['r', 'l', 'r', 'l', 'r', 'l']),
    ...best,
  ]
}

function shownOf({ levers = [] }: AnalysedConfig): readonly AdvisedLever[] {
  return helpful(levers).slice(0, MAX_ROWS)
}

function inFull(lever: AdvisedLever, index: number): string[] {
  const words = escapeText(leverSentences(lever).join(' '))
  const diff = leverDiff(lever)
  const isShown = diff.length > 0 && diff.every(line => isPlainLine(line))
  return [`**${index + 1}.** ${words}`, ...(isShown ? [fencedLines('diff', diff)] : [])]
}
