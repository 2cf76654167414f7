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
 * A numbered list of levers with which the config fits or may fit; if there are none, those that free most. Undefined
 * without levers.
 */
export function leverList(config: AnalysedConfig, most: number): string | undefined {
  const shown = shownOf(config).slice(0, most)
  if (shown.length === 0) return undefined
  return shown.map((lever, index) => `${index + 1}. ${escapeText(leverLine(lever, config))}`).join('\n')
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
