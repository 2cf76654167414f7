/** A report's configs in the order in which a reader should meet them. */
import { idleBytes, missingBytes } from '../metrics/memory.ts'
import type { AnalysedConfig, ConfigResult, Report } from '../report/schema.ts'
import { formatCount } from './figures.ts'
import { configState, type Finding, findingOf } from './verdict.ts'

/** What matters is shown first, then what is fine; what could not be analysed comes last. */
export const groups = ['matters', 'fine', 'not-analysed'] as const
export type Group = (typeof groups)[number]

export interface Ranked {
  readonly config: ConfigResult
  readonly group: Group
  /** Higher is graver. */
  readonly interest: number
}

/** Gravest first, whatever its group. */
export function rank({ configs }: Report): Ranked[] {
  return configs
    .map(config => ({ config, group: groupOf(config), interest: interestOf(config) }))
    .sort((a, b) => b.interest - a.interest)
}

/** Configs that a reader should care about, gravest first. */
export function mattering(report: Report): AnalysedConfig[] {
  return rank(report).flatMap(({ config, group }) =>
    group === 'matters' && config.status === 'analysed' ? [config] : [],
  )
}

/** `1,961 to look at, 3 not analysed`. */
export function countsOf(ranked: readonly Ranked[]): string {
  const words: Record<Group, string> = { matters: 'to look at', fine: 'fine', 'not-analysed': 'not analysed' }
  return groups
    .map(group => ({ group, count: ranked.filter(item => item.group === group).length }))
    .filter(({ count }) => count > 0)
    .map(({ group, count }) => `${formatCount(count)} ${words[group]}`)
    .join(', ')
}

function groupOf(config: ConfigResult): Group {
  if (config.status === 'not-analysed') return 'not-analysed'
  return findingOf(config) === 'fine' ? 'fine' : 'matters'
}

/** Orders by the finding; for equal findings, by the share of GPU memory that is missing or idle. */
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
    case 'loading-does-not-fit':
    case 'evaluation-does-not-fit':
    case 'saving-does-not-fit':
    case 'resuming-does-not-fit':
      return 5
    case 'waste':
      return 4
    case 'annual-cost':
      return 3
    case 'throughput-loss':
      return 2
    case 'unread-settings':
    case 'not-analysed':
      return 1
    case 'fine':
      return 0
  }
}
