/** A report's configs as sections that can be shortened: what matters first, then what is fine, what could not be analysed last. */
import { idleBytes, missingBytes } from '../metrics/memory.ts'
import type { AnalysedConfig, ConfigResult, Report } from '../report/schema.ts'
import { comparison } from './comparison.ts'
import { configDetails } from './config-details.ts'
import { fineLine, paragraph } from './config-section.ts'
import { formatCount } from './figures.ts'
import { fitSections, type Section, sizeOf } from './fit.ts'
import { details } from './markdown.ts'
import { unanalysedSection } from './unanalysed-section.ts'
import { configState, type Finding, findingOf } from './verdict.ts'

/** A reader goes through no more than this of one kind; the rest is counted. */
const MAX_OF_A_KIND = 40

export const separator = '\n\n'

type Group = 'matters' | 'fine' | 'not-analysed'

interface Ranked {
  readonly config: ConfigResult
  readonly group: Group
  readonly interest: number
}

interface Room {
  readonly limitBytes: number
  readonly withDetails: boolean
}

/** `opening`, the configs as fully as the room allows, a line that counts what was left out, and `closing`. */
export function renderWithin(report: Report, opening: readonly string[], closing: string, room: Room): string {
  const ranked = rank(report)
  const shown = groups.flatMap(group => ranked.filter(item => item.group === group).slice(0, MAX_OF_A_KIND))
  const frame = [...opening, countLine(ranked), closing] // no count is longer than that of all
  const texts = fitSections(
    shown.map(item => ({ forms: formsOf(item.config, room.withDetails), interest: item.interest })),
    room.limitBytes - sizeOf(frame.join(separator)) - separator.length * (shown.length + 1),
  )
  const kept = new Set(shown.filter((_, index) => texts[index] !== undefined))
  const leftOut = ranked.filter(item => !kept.has(item))
  const counted = leftOut.length > 0 ? [countLine(leftOut)] : []
  return [...opening, ...texts.filter(text => text !== undefined), ...counted, closing].join(separator)
}

/** Configs that a reader should care about, gravest first. */
export function mattering(report: Report): AnalysedConfig[] {
  return rank(report).flatMap(({ config, group }) =>
    group === 'matters' && config.status === 'analysed' ? [config] : [],
  )
}

const groups: readonly Group[] = ['matters', 'fine', 'not-analysed']

function rank({ configs }: Report): Ranked[] {
  return configs
    .map(config => ({ config, group: groupOf(config), interest: interestOf(config) }))
    .sort((a, b) => b.interest - a.interest)
}

function groupOf(config: ConfigResult): Group {
  if (config.status === 'not-analysed') return 'not-analysed'
  return findingOf(config) === 'fine' ? 'fine' : 'matters'
}

/** The finding decides; between equals, the share of the GPU that is missing or idle. */
function interestOf(config: ConfigResult): number {
  const weight = findingWeight(findingOf(config)) + (configState(config) === 'blocked' ? 10 : 0)
  if (config.status === 'not-analysed') return weight
  const { gpu, current } = config
  const atStake = idleBytes(gpu, current) + missingBytes(gpu, current)
  return weight + atStake / (atStake + gpu.usableBytes + 1)
}

function findingWeight(finding: Finding): number {
  switch (finding) {
    case 'does-not-fit':
      return 6
    case 'may-not-fit':
      return 5
    case 'waste':
      return 4
    case 'annual-cost':
      return 3
    case 'throughput-loss':
      return 2
    case 'not-analysed':
      return 1
    case 'fine':
      return 0
  }
}

function formsOf(config: ConfigResult, withDetails: boolean): Section['forms'] {
  if (config.status === 'not-analysed') {
    const full = unanalysedSection(config)
    return config.problems.length > 1 ? [full, unanalysedSection(config, 1)] : [full]
  }
  if (findingOf(config) === 'fine') return [fineLine(config)]
  const short = paragraph(config)
  const compared = `${short}${separator}${comparison(config)}`
  if (!withDetails) return [compared, short]
  const behind = details('Where the memory goes, every size tried, assumptions', configDetails(config))
  return [`${compared}${separator}${behind}`, compared, short]
}

function countLine(leftOut: readonly Ranked[]): string {
  const words: Record<Group, string> = { matters: 'to look at', fine: 'fine', 'not-analysed': 'not analysed' }
  const parts = groups
    .map(group => ({ group, count: leftOut.filter(item => item.group === group).length }))
    .filter(({ count }) => count > 0)
    .map(({ group, count }) => `${formatCount(count)} ${words[group]}`)
  return `…and ${formatCount(leftOut.length)} more, all in the report: ${parts.join(', ')}.`
}
