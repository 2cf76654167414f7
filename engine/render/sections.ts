/** A report's configs as sections that can be shortened: what matters first, then what is fine, what could not be analysed last. */
import type { ConfigResult, Report } from '../report/schema.ts'
import { changeDiff } from './change-diff.ts'
import { comparison } from './comparison.ts'
import { configDetails } from './config-details.ts'
import { afterDecision, fineLine, paragraph } from './config-section.ts'
import { formatCount } from './figures.ts'
import { fitSections, type Section, sizeOf } from './fit.ts'
import { countsOf, groups, type Ranked, rank } from './ranking.ts'
import { unanalysedSection } from './unanalysed-section.ts'
import { findingOf } from './verdict.ts'

/** A reader goes through no more than this of one kind; the rest is counted. */
const MAX_OF_A_KIND = 40

export const separator = '\n\n'

export interface Room {
  readonly limitBytes: number
  /** Adds the memory breakdown, every size tried, and the assumptions. */
  readonly withDetails: boolean
  /** Configs whose `decision` is already shown above. */
  readonly decided?: ReadonlySet<ConfigResult>
  /** Configs about which everything is already said; they are left out. */
  readonly said?: ReadonlySet<ConfigResult>
}

/** Each config as fully as the space allows, then the number of those left out; empty if nothing remains to be said. */
export function renderConfigs(report: Report, room: Room): string {
  const { limitBytes, withDetails, decided = new Set(), said = new Set() } = room
  const ranked = rank(report).filter(({ config }) => !said.has(config))
  const shown = groups.flatMap(group => ranked.filter(item => item.group === group).slice(0, MAX_OF_A_KIND))
  const texts = fitSections(
    shown.map(item => ({ forms: formsOf(item.config, withDetails, decided), interest: item.interest })),
    limitBytes - sizeOf(countLine(ranked)) - separator.length * shown.length, // no count is longer than that of all
  )
  const kept = new Set(shown.filter((_, index) => texts[index] !== undefined))
  const leftOut = ranked.filter(item => !kept.has(item))
  const counted = leftOut.length > 0 ? [countLine(leftOut)] : []
  return [...texts.filter(text => text !== undefined), ...counted].join(separator)
}

function formsOf(config: ConfigResult, withDetails: boolean, decided: ReadonlySet<ConfigResult>): Section['forms'] {
  if (config.status === 'not-analysed') {
    const full = unanalysedSection(config)
    return config.problems.length > 1 ? [full, unanalysedSection(config, 1)] : [full]
  }
  if (findingOf(config) === 'fine') return [fineLine(config)]
  const isDecided = decided.has(config)
  const words = isDecided ? afterDecision(config) : paragraph(config)
  const diff = isDecided ? undefined : changeDiff(config)
  const together = (...parts: readonly (string | undefined)[]) =>
    parts.filter(part => part !== undefined).join(separator)
  const compared = comparison(config)
  const short = [together(words, compared), words] as const
  return withDetails ? [together(words, diff, compared, configDetails(config)), ...short] : short
}

function countLine(leftOut: readonly Ranked[]): string {
  return `…and ${formatCount(leftOut.length)} more, all in the report: ${countsOf(leftOut)}.`
}
