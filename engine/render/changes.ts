/** What changed since an earlier report, in Markdown. */
import { configName } from '../config/training-place.ts'
import { type ConfigChange, changesSince } from '../report/changes.ts'
import type { ConfigResult, Report } from '../report/schema.ts'
import { possibleSavingsUsd } from '../report/standing.ts'
import { formatCount, formatYearlyUsd, ofUsable } from './figures.ts'
import { inlinePath, table } from './markdown.ts'
import { configState, stateMark } from './verdict.ts'

/** A reader goes through no more; the rest is counted. */
const MAX_ROWS = 60

/** A section of its own: the totals, and a row for each config that changed, up to `maxRows`. */
export function renderChanges(last: Report, now: Report, maxRows = MAX_ROWS): string {
  const changes = changesSince(last, now)
  const heading = `#### Since the report of ${last.createdAt.slice(0, 10)}`
  if (changes.length === 0) return [heading, 'No notable changes.'].join('\n\n')
  const rows = changes.slice(0, maxRows).map(row)
  const rest = changes.length - rows.length
  return [
    heading,
    totals(last, now),
    table([['training config', 'then', 'now'], ...rows], ['l', 'l', 'l']),
    ...(rest > 0 ? [`…and ${formatCount(rest)} more.`] : []),
  ].join('\n\n')
}

function totals(last: Report, now: Report): string {
  const count = (state: ReturnType<typeof configState>) =>
    `${stateMark(state)} ${arrow(formatCount(inState(last, state)), formatCount(inState(now, state)))}`
  const savings = arrow(formatYearlyUsd(possibleSavingsUsd(last)), formatYearlyUsd(possibleSavingsUsd(now)))
  return `${count('blocked')}, ${count('warning')}, ${count('fine')}; what the recommendations would save: ${savings} a year.`
}

function inState({ configs }: Report, state: ReturnType<typeof configState>): number {
  return configs.filter(config => configState(config) === state).length
}

function row(change: ConfigChange): string[] {
  switch (change.kind) {
    case 'new':
      return [inlinePath(configName(change.after)), 'did not exist', situation(change.after)]
    case 'gone':
      return [inlinePath(configName(change.before)), situation(change.before), 'removed']
    case 'changed':
      return [inlinePath(configName(change.after)), situation(change.before), situation(change.after)]
  }
}

/** `🟩 micro-batch 32: 3.35 of 21.8 GiB (estimated)`. */
function situation(config: ConfigResult): string {
  const mark = stateMark(configState(config))
  if (config.status === 'not-analysed') return `${mark} could not be analysed`
  const { current, gpu, provenance } = config
  return `${mark} micro-batch ${formatCount(current.microBatch)}: ${ofUsable(current.peakBytes, gpu.usableBytes)} (${provenance})`
}

function arrow(before: string, after: string): string {
  return before === after ? after : `${before} → ${after}`
}
