/**
 * The part of a comment that is seen before anything is unfolded: what needs a decision, gravest first, in about 25
 * lines.
 */
import { configName } from '../config/training-place.ts'
import type { ConfigResult, Report } from '../report/schema.ts'
import { assumedGpuSentence } from './advice.ts'
import { changeDiff } from './change-diff.ts'
import { decision, fineLine } from './config-section.ts'
import { formatCount } from './figures.ts'
import { leverList } from './lever-sections.ts'
import { inlinePath } from './markdown.ts'
import { countsOf, type Ranked, rank } from './ranking.ts'
import { unanalysedSection } from './unanalysed-section.ts'
import { findingOf, predicate } from './verdict.ts'

/** A paragraph each, of about four lines as GitHub shows them; the rest is counted. */
const MAX_DECISIONS = 3

/** With more decisions than this, only the gravest shows its changed lines; the others show them in the fold. */
const MAX_DIFFS = 2

/** Ways to free memory of the gravest config; with others to decide, only the best. */
const MAX_LEVER_LINES = 3

/** Names of fine configs; the rest is counted. */
const MAX_NAMES = 3

export interface Visible {
  readonly paragraphs: readonly string[]
  /** Configs whose `decision` and changed lines are shown. */
  readonly decided: ReadonlySet<ConfigResult>
  /** Configs about which there is nothing more to say. */
  readonly said: ReadonlySet<ConfigResult>
}

export function visibleConfigs(report: Report): Visible {
  const ranked = rank(report)
  const [first] = ranked
  if (first !== undefined && ranked.length === 1) return visibleAlone(first)
  const toDecide = ranked.filter(({ group }) => group !== 'fine')
  const shown = toDecide.slice(0, MAX_DECISIONS)
  const leftOut = toDecide.slice(MAX_DECISIONS)
  const withDiff = new Set(shown.slice(0, shown.length > MAX_DIFFS ? 1 : MAX_DIFFS))
  const levers = shown.length === 1 ? MAX_LEVER_LINES : 1
  const texts = (group: Ranked['group']) =>
    shown
      .filter(item => item.group === group)
      .map(item => brief(item.config, withDiff.has(item), item === shown[0] ? levers : 0))
  const counted = leftOut.length === 0 ? [] : [`…and ${countsOf(leftOut)}, below.`]
  return {
    paragraphs: [
      ...texts('matters'),
      ...fineConfigs(ranked),
      ...texts('not-analysed'),
      ...counted,
      ...assumedGpu(report.configs),
    ],
    decided: new Set([...withDiff].map(({ config }) => config)),
    said: new Set(shown.flatMap(({ config }) => (brief(config) === whole(config) ? [config] : []))),
  }
}

function visibleAlone({ config, group }: Ranked): Visible {
  const text = group === 'matters' ? brief(config, true, MAX_LEVER_LINES) : whole(config)
  const alone = new Set([config])
  return {
    paragraphs: [text ?? '', ...assumedGpu([config])],
    decided: alone,
    said: group === 'matters' ? new Set() : alone,
  }
}

function brief(config: ConfigResult, withDiff = false, levers = 0): string {
  if (config.status === 'not-analysed') return unanalysedSection(config, 1)
  const diff = withDiff ? changeDiff(config) : undefined
  return [decision(config), diff, leverList(config, levers, diff !== undefined)]
    .filter(part => part !== undefined)
    .join('\n\n')
}

/** Undefined for a config that is fully covered by the tables. */
function whole(config: ConfigResult): string | undefined {
  if (config.status === 'not-analysed') return unanalysedSection(config)
  return findingOf(config) === 'fine' ? fineLine(config) : undefined
}

/** One line for all of them together. */
function fineConfigs(ranked: readonly Ranked[]): string[] {
  const fine = ranked.filter(({ group }) => group === 'fine').map(({ config }) => config)
  if (fine.length === 0) return []
  const names = fine.slice(0, MAX_NAMES).map(config => `${inlinePath(configName(config))}${textOnly(config)}`)
  const more = fine.length - names.length
  const listed = [...names, ...(more > 0 ? [`${formatCount(more)} more`] : [])]
  const all = [listed.slice(0, -1).join(', '), ...listed.slice(-1)].filter(text => text !== '').join(' and ')
  return [`🟩 ${all} ${predicate('fine', fine.length)}.`]
}

function textOnly(config: ConfigResult): string {
  return config.status === 'analysed' && config.leftOut !== undefined ? ` (without ${config.leftOut})` : ''
}

/** Once for all of them: it is one setting. */
function assumedGpu(configs: readonly ConfigResult[]): string[] {
  const sentences = configs.flatMap(config => (config.status === 'analysed' ? (assumedGpuSentence(config) ?? []) : []))
  return sentences.slice(0, 1)
}
