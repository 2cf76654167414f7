/** The check on a commit: the same words as the comment, with annotations on the lines they are about. */
import type { Problem } from '../base/errors.ts'
import { configName } from '../config/training-place.ts'
import type { AnalysedConfig, ConfigResult, Report, UnanalysedConfig } from '../report/schema.ts'
import { advice } from './advice.ts'
import { configDetails } from './config-details.ts'
import { formatCount, formatShare, memoryProvenance, ofUsable, throughputProvenance } from './figures.ts'
import { fitSections, sizeOf } from './fit.ts'
import { footer } from './footer.ts'
import { inlinePath } from './markdown.ts'
import { capitalised, plainText } from './plain.ts'
import { mattering } from './ranking.ts'
import { renderConfigs, separator } from './sections.ts'
import { unchangedLine, upgradeParagraphs } from './upgrade.ts'
import {
  configState,
  type Finding,
  findingOf,
  headline,
  nothingToMeasure,
  type VerdictState,
  verdictState,
} from './verdict.ts'

/** Of summary and of text, each. */
const CHECK_LIMIT = 65_535

const MAX_DETAILED = 40
const MAX_PROBLEMS_A_FILE = 10

export interface Annotation {
  /** As the report has it, so that it still names the file. */
  readonly path: string
  /** 1-based. */
  readonly line: number
  readonly level: 'notice' | 'warning' | 'failure'
  /** Plain text, as is the message. */
  readonly title: string
  readonly message: string
}

export interface RenderedCheck {
  readonly title: string
  /** Markdown. */
  readonly summary: string
  /** Markdown; empty where there is nothing to explain. */
  readonly text: string
  readonly conclusion: 'success' | 'failure' | 'neutral'
  readonly annotations: readonly Annotation[]
}

export interface CheckOptions {
  /** Paragraphs of Markdown that the reader needs to understand the report or the verdict. */
  readonly remarks?: readonly string[]
  /** Clauses of Markdown for the last line: what the reader can do. */
  readonly hints?: readonly string[]
}

export function renderCheck(report: Report, { remarks = [], hints = [] }: CheckOptions = {}): RenderedCheck {
  const title = capitalised(headline(report))
  if (report.configs.length === 0) {
    const summary = [...remarks, `${nothingToMeasure}.`].join(separator)
    return { title, summary, text: '', conclusion: 'success', annotations: [] }
  }
  return {
    title,
    summary: summary(report, remarks, footer(report, { hints })),
    text: text(report),
    conclusion: conclusion(verdictState(report)),
    annotations: report.configs.flatMap(annotationsOf),
  }
}

/** `neutral` passes a required check but is shown differently from success. */
function conclusion(state: VerdictState): RenderedCheck['conclusion'] {
  switch (state) {
    case 'nothing-to-measure':
    case 'fine':
      return 'success'
    case 'warning':
      return 'neutral'
    case 'blocked':
      return 'failure'
  }
}

function summary(report: Report, remarks: readonly string[], closing: string): string {
  const upgrades = [...upgradeParagraphs(report, MAX_DETAILED), ...unchangedLine(report)]
  const frame = [...remarks, '', ...upgrades, closing].join(separator)
  const configs = renderConfigs(report, { limitBytes: CHECK_LIMIT - sizeOf(frame), withDetails: false })
  return [...remarks, configs, ...upgrades, closing].join(separator)
}

function text(report: Report): string {
  const sections = mattering(report)
    .slice(0, MAX_DETAILED)
    .map((config, index) => ({
      forms: [`#### ${inlinePath(configName(config))}${separator}${configDetails(config)}`] as const,
      interest: -index,
    }))
  const budget = CHECK_LIMIT - separator.length * sections.length
  return fitSections(sections, budget)
    .filter(section => section !== undefined)
    .join(separator)
}

function annotationsOf(config: ConfigResult): Annotation[] {
  if (config.status === 'not-analysed') {
    return config.problems.slice(0, MAX_PROBLEMS_A_FILE).map(problem => problemAnnotation(config, problem))
  }
  const finding = findingOf(config)
  return finding === 'fine' ? [] : [findingAnnotation(config, finding)]
}

function findingAnnotation(config: AnalysedConfig, finding: Finding): Annotation {
  return {
    path: config.path,
    line: placeOf(config, finding) ?? config.training?.line ?? 1,
    level: config.verdict.state === 'blocked' ? 'failure' : 'warning',
    title: annotationTitle(config, finding),
    message: annotationMessage(config),
  }
}

function placeOf({ batchSizeAt, unreadSettings }: AnalysedConfig, finding: Finding): number | undefined {
  return (finding === 'unread-settings' ? unreadSettings?.[0]?.at : batchSizeAt)?.line
}

function annotationTitle(config: AnalysedConfig, finding: Finding): string {
  const { current, gpu } = config
  const used = ofUsable(current.peakBytes, gpu.usableBytes)
  const where = `micro-batch ${formatCount(current.microBatch)} on the ${plainText(gpu.name, 60)}`
  if (finding === 'does-not-fit') return `Runs out of memory: ${where} needs ${used}`
  if (finding === 'may-not-fit') return `May run out of memory: ${where} needs ${used}`
  if (finding === 'loading-does-not-fit') return `Runs out of memory while it loads: ${where} needs ${used}`
  if (finding === 'evaluation-does-not-fit') return `Runs out of memory in evaluation: ${where} needs ${used}`
  if (finding === 'saving-does-not-fit') return `Runs out of memory while it saves: ${where} needs ${used}`
  if (finding === 'resuming-does-not-fit') return `Runs out of memory as it resumes: ${where} needs ${used}`
  if (finding === 'unread-settings') return `Sets what was not understood: ${where} needs ${used} without it`
  return `Uses ${used} (${formatShare(config, current)}): ${where}`
}

function annotationMessage(config: AnalysedConfig): string {
  const known = `Memory ${memoryProvenance(config)}; throughput ${throughputProvenance(config)}.`
  return [...advice(config), known].join(' ')
}

function problemAnnotation(config: UnanalysedConfig, { file, line, field, message, fix }: Problem): Annotation {
  const named = field ? `${plainText(field, 100)}: ` : ''
  return {
    path: file ?? config.path,
    line: line ?? config.training?.line ?? 1,
    level: configState(config) === 'blocked' ? 'failure' : 'warning',
    title: 'Could not be analysed',
    message: `${named}${plainText(message)}. ${plainText(fix)}`,
  }
}
