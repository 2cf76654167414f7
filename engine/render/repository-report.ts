/** The scheduled report: every config of the default branch, what changed, and what merged pull requests saved. */
import { formatGib, formatUsd } from '../base/units.ts'
import { configName } from '../config/training-place.ts'
import { idleBytes } from '../metrics/memory.ts'
import { savingsRangeOf } from '../report/ranges.ts'
import type { AnalysedConfig, Report } from '../report/schema.ts'
import { analysedIn, possibleSavingsUsd } from '../report/standing.ts'
import { renderChanges } from './changes.ts'
import { paragraph } from './config-section.ts'
import {
  formatBatch,
  formatCount,
  formatDate,
  formatShare,
  formatYearlyRange,
  formatYearlyUsd,
  memoryProvenance,
  throughputProvenance,
} from './figures.ts'
import { fitSections, type Section, sizeOf } from './fit.ts'
import { acceptedSection, type Ledger, savingsSection } from './ledger-sections.ts'
import { escapeText, inlineCode, inlinePath, table } from './markdown.ts'
import { mattering } from './ranking.ts'
import { ROWS, shortening } from './rows.ts'
import { separator } from './sections.ts'
import { unanalysedSection } from './unanalysed-section.ts'
import { headline, stateMark, verdictState } from './verdict.ts'

/** Hidden first line by which the issue is found again and updated in place. */
export const repositoryReportMarker = '<!-- memorymark:repository-report -->'

export const repositoryReportTitle = 'MemoryMark: training configs on the default branch'

/** GitHub's limit for the body of an issue is 65,536 characters. */
const ISSUE_LIMIT = 65_536

const WORST = 3

export interface RepositoryReport {
  readonly branch: string
  readonly commit: string
  /** Of every config on the branch. */
  readonly report: Report
  /** The one before; undefined at the first. */
  readonly last: Report | undefined
  readonly ledger: Ledger
  /** Paragraphs of Markdown on how the report was made. */
  readonly remarks: readonly string[]
}

export function renderRepositoryReport(input: RepositoryReport): string {
  const opening = [repositoryReportMarker, headingOf(input), situation(input), ...input.remarks]
  const closing = `<sub>Updated on the schedule set by ${inlineCode('report.schedule')} in ${inlineCode('.github/memorymark.yml')} · MemoryMark ${escapeText(input.report.toolVersion, 40)}</sub>`
  const sections = [
    worst(input),
    changes(input),
    everyConfig(input),
    unanalysed(input),
    savingsSection(input.ledger),
    acceptedSection(input.ledger),
  ]
  const shown = sections.filter(section => section !== undefined)
  const frame = [...opening, closing].join(separator)
  const texts = fitSections(shown, ISSUE_LIMIT - sizeOf(frame) - separator.length * (shown.length + 1))
  return [...opening, ...texts.filter(text => text !== undefined), closing].join(separator)
}

function headingOf({ report }: RepositoryReport): string {
  return `### ${stateMark(verdictState(report))} MemoryMark: ${report.configs.length === 0 ? 'no training config on the default branch' : headline(report)}`
}

function situation({ branch, commit, report }: RepositoryReport): string {
  const configs = analysedIn(report)
  const where = `${inlineCode(branch, 100)} at ${inlineCode(commit.slice(0, 7))}, ${formatDate(new Date(report.createdAt))}.`
  const saving = possibleSavingsUsd(report)
  const could = saving >= 1 ? [`The recommendations would save **${formatYearlyUsd(saving)} a year**.`] : []
  return [where, ...could, ...knownHow(configs)].join(' ')
}

/** `*Of 3 configs, 1 was measured on its GPU.*` */
function knownHow(configs: readonly AnalysedConfig[]): string[] {
  if (configs.length === 0) return []
  const measured = configs.filter(({ provenance }) => provenance === 'measured').length
  const timed = configs.filter(({ throughputProvenance }) => throughputProvenance === 'measured').length
  const of = `${formatCount(configs.length)} config${configs.length === 1 ? '' : 's'}`
  return [`*Memory was measured for ${formatCount(measured)} and throughput for ${formatCount(timed)} of ${of}.*`]
}

function worst({ report }: RepositoryReport): Section | undefined {
  const gravest = mattering(report).slice(0, WORST)
  const [first] = gravest
  if (first === undefined) return undefined
  const heading = gravest.length === 1 ? '#### The one to look at' : `#### The worst ${words(gravest.length)}`
  return {
    forms: [
      [heading, ...gravest.map(config => paragraph(config))].join(separator),
      [heading, paragraph(first)].join(separator),
    ],
    interest: 5,
  }
}

function changes({ report, last }: RepositoryReport): Section | undefined {
  if (last === undefined) return undefined
  const [most, ...fewer] = ROWS.map(rows => renderChanges(last, report, rows))
  return most === undefined ? undefined : { forms: [most, ...fewer], interest: 4 }
}

function everyConfig({ report }: RepositoryReport): Section | undefined {
  const configs = analysedIn(report).toSorted((a, b) => b.savingsPerYearUsd - a.savingsPerYearUsd)
  if (configs.length === 0) return undefined
  const header = ['config', 'GPU', 'micro-batch', 'peak memory', 'idle', 'cost per year', 'could save', 'provenance']
  return shortening(configs, 3, rows => [
    '#### Every config',
    table([header, ...rows.map(configRow)], ['l', 'l', 'r', 'r', 'r', 'r', 'r', 'l']),
  ])
}

function configRow(config: AnalysedConfig): string[] {
  const { current, gpu, verdict, runsPerYear, savingsPerYearUsd } = config
  return [
    `${stateMark(verdict.state)} ${inlinePath(configName(config))}`,
    escapeText(gpu.name, 60),
    formatBatch(current),
    `${formatGib(current.peakBytes)} (${formatShare(config, current)})`,
    current.fits ? formatGib(idleBytes(gpu, current)) : '–',
    current.fits ? formatUsd(current.costPerRunUsd * runsPerYear) : '–',
    savingsPerYearUsd >= 1 ? formatYearlyRange(savingsRangeOf(config)) : '–',
    `${memoryProvenance(config)}; throughput ${throughputProvenance(config)}`,
  ]
}

function unanalysed({ report }: RepositoryReport): Section | undefined {
  const configs = report.configs.flatMap(config => (config.status === 'not-analysed' ? [config] : []))
  if (configs.length === 0) return undefined
  return shortening(configs, 1, rows => ['#### Not analysed', ...rows.map(config => unanalysedSection(config, 1))])
}

function words(count: number): string {
  return count === 2 ? 'two' : 'three'
}
