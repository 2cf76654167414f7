/** The report in a terminal. Untrusted text passes through `plainText`, so it cannot steer the terminal. */
import { formatGib, formatUsd } from '../base/units.ts'
import { configName } from '../config/training-place.ts'
import { idleBytes, missingBytes } from '../metrics/memory.ts'
import { isSamePlan } from '../metrics/recommend.ts'
import type { AnalysedConfig, ConfigResult, OperatingPoint, Report } from '../report/schema.ts'
import { modelCopies } from '../training/batches.ts'
import { advice, fineRemark, isWorthFollowing } from './advice.ts'
import { partsOf } from './config-details.ts'
import {
  bar,
  describedRemark,
  formatCount,
  formatHourly,
  formatPart,
  formatRunCost,
  formatShare,
  formatSpeed,
  hasPrice,
  memoryProvenance,
  ofUsable,
  priceRemark,
  throughputProvenance,
} from './figures.ts'
import { capitalised, plainPath, plainProblem, plainText } from './plain.ts'
import { rank } from './ranking.ts'
import { doubtfulMoments, momentsSentence, peakRows } from './run-peaks.ts'
import { type Page, pageOf, stateStyle, stateWord, styleOf, type TerminalOptions, wrap } from './terminal-page.ts'
import { terminalTable } from './terminal-table.ts'
import { plainWords, upgradeSentence } from './upgrade.ts'
import { findingOf, headline, verdictState } from './verdict.ts'

/** How much to print about a config. Those with `line` are listed in one table below the full ones, gravest first. */
export type Detail = 'full' | 'line' | 'none'

export interface TerminalReportOptions extends TerminalOptions {
  /** By config; `full` of one that it lacks. */
  readonly details?: ReadonlyMap<ConfigResult, Detail>
}

const INDENT = '  '
const LABEL_WIDTH = 12

/** Ends without a newline. */
export function renderTerminal(report: Report, { details = new Map(), ...options }: TerminalReportOptions): string {
  const page = pageOf(options)
  if (report.configs.length === 0) return 'No training config found: nothing to measure.'
  const inFull = report.configs.filter(config => (details.get(config) ?? 'full') === 'full')
  const inLines = rank(report).flatMap(({ config }) => (details.get(config) === 'line' ? [config] : []))
  const closing = page.paint(
    stateStyle(verdictState(report)),
    wrap(`MemoryMark: ${headline(report)}.`, '', page.columns),
  )
  return [
    ...inFull.map(config => block(config, page)),
    ...(inLines.length > 0 ? [terminalTable(inLines, page).join('\n')] : []),
    ...(page.judges ? [closing] : []),
  ].join('\n\n')
}

function block(config: ConfigResult, page: Page): string {
  const heading = `${page.paint(styleOf(config, page), stateWord(config, page))} ${page.paint('bold', plainPath(configName(config)))}`
  const body =
    config.status === 'analysed'
      ? analysedLines(config, page)
      : config.problems.map(problem => wrap(plainProblem(problem), INDENT, page.columns))
  return [heading, ...body].join('\n')
}

function analysedLines(config: AnalysedConfig, page: Page): string[] {
  const known = page.paint('dim', wrap(knownHow(config), INDENT, page.columns))
  const bars = [...barLines(config, page), ...severalGpus(config, page)]
  const doubtful = doubtfulMoments(config)
  if (findingOf(config) === 'fine')
    return [
      ...bars,
      wrap(`${capitalised(fineRemark(config))}.`, INDENT, page.columns),
      ...(doubtful === undefined ? [] : [wrap(doubtful, INDENT, page.columns)]),
      ...upgradeLines(config, page),
      known,
    ]
  return [...bars, ...breakdownLines(config, page), ...upgradeLines(config, page), ...adviceLines(config, page), known]
}

/** Bars for the current, recommended and largest batch, without repeated sizes and without those that bring nothing. */
function barLines(config: AnalysedConfig, page: Page): string[] {
  const { current, largest } = config
  const recommended = isWorthFollowing(config) ? config.recommended : undefined
  const lines = [barLine(config, 'now', current, page)]
  if (recommended && !isSamePlan(recommended, current)) {
    lines.push(barLine(config, 'recommended', recommended, page))
  }
  if (largest && !isSamePlan(largest, recommended ?? current)) {
    lines.push(barLine(config, 'largest', largest, page))
  }
  return lines
}

function barLine(config: AnalysedConfig, label: string, point: OperatingPoint, page: Page): string {
  const { paint, tableColumns } = page
  const { gpu } = config
  const cells = Math.max(10, Math.min(30, tableColumns - 75))
  const filled = bar(gpu.usableBytes === 0 ? 1 : point.peakBytes / gpu.usableBytes, cells)
  const size = `${formatCount(point.microBatch)} × ${formatCount(point.gradientAccumulation)}`
  const memory = `${ofUsable(point.peakBytes, gpu.usableBytes)} (${formatShare(config, point)})`
  const style = label === 'now' ? styleOf(config, page) : 'green'
  const painted = paint(point.fits ? style : 'red', filled)
  const head = `${INDENT}${label.padEnd(LABEL_WIDTH)}${size.padEnd(9)} `
  const speed = pace(config, point)
  const isWide = head.length + cells + 1 + memory.length + 2 + speed.length > tableColumns
  const gap = isWide ? `\n${INDENT}${' '.repeat(LABEL_WIDTH)}` : ', '
  return `${head}${painted} ${memory}${speed === '' ? '' : gap}${speed}`
}

function pace({ throughputProvenance }: AnalysedConfig, point: OperatingPoint): string {
  const { fits, samplesPerSecond, samplesPerSecondRange: range } = point
  if (!fits || samplesPerSecond === undefined) return ''
  return `${formatSpeed(samplesPerSecond, range)} samples/s ${throughputProvenance}`
}

/** The bars show one GPU; this adds the totals of all GPUs. */
function severalGpus({ spec, gpu, current, throughputProvenance }: AnalysedConfig, { columns }: Page): string[] {
  const { gpus } = spec
  if (gpus === 1) return []
  const memory = ofUsable(gpus * current.peakBytes, gpus * gpu.usableBytes)
  const { fits, samplesPerSecond, samplesPerSecondRange: range } = current
  const copies = modelCopies(spec)
  const together = range && { low: copies * range.low, high: copies * range.high }
  const speed =
    fits && samplesPerSecond !== undefined
      ? `, ${formatSpeed(copies * samplesPerSecond, together)} samples/s ${throughputProvenance}`
      : ''
  return [
    wrap(
      `${formatCount(gpus)} GPUs (${spec.sharding ?? 'ddp'}), each as above; in all ${memory}${speed}.`,
      INDENT,
      columns,
    ),
  ]
}

function breakdownLines(config: AnalysedConfig, { columns }: Page): string[] {
  const { breakdown, current, gpu } = config
  const parts = partsOf(breakdown).map(({ name, bytes }) => `${name} ${formatPart(bytes)}`)
  const rest = current.fits ? leftOver(gpu, current) : tooMuch(gpu, current)
  const memory = wrap(`Memory: ${parts.join(', ')}; ${rest}.`, INDENT, columns)
  const moments = peakRows(config)
  return moments.length === 0 ? [memory] : [memory, wrap(momentsSentence(moments), INDENT, columns)]
}

function leftOver(gpu: AnalysedConfig['gpu'], current: OperatingPoint): string {
  const { reservedBytes, mayNotFit, peakBytes } = current
  if (mayNotFit && reservedBytes !== undefined && reservedBytes > peakBytes) {
    return `with fragments, PyTorch's allocator reserves ${formatGib(reservedBytes)}, which leaves too little for the error of the figures`
  }
  return `${formatGib(idleBytes(gpu, current))} of the GPU is idle`
}

/** The caching allocator may reserve more than the GPU has even if less is allocated. */
function tooMuch(gpu: AnalysedConfig['gpu'], current: OperatingPoint): string {
  const { reservedBytes = 0, peakBytes } = current
  if (peakBytes > gpu.usableBytes || reservedBytes <= gpu.usableBytes) {
    return `${formatGib(missingBytes(gpu, current))} too much`
  }
  return `with fragments, PyTorch's allocator reserves ${formatGib(reservedBytes)}, more than the GPU has`
}

function adviceLines(config: AnalysedConfig, { columns }: Page): string[] {
  return [...advice(config), ...rightSizingSentences(config)].map(sentence => wrap(sentence, INDENT, columns))
}

function upgradeLines({ upgrade }: AnalysedConfig, { columns }: Page): string[] {
  if (upgrade === undefined) return []
  return [wrap(`Estimated ${upgradeSentence({ upgrade }, plainWords)}`, INDENT, columns)]
}

function rightSizingSentences({ rightSizing }: AnalysedConfig): string[] {
  if (rightSizing === undefined) return []
  const price = formatHourly(rightSizing.gpu)
  return [
    `A cheaper GPU is enough: ${plainText(rightSizing.gpu.name, 60)} at ${price}, ${formatRunCost(rightSizing)} per run.`,
  ]
}

function knownHow(config: AnalysedConfig): string {
  const { gpu, hoursPerRun, runsPerYear } = config
  const dated = hasPrice(gpu) ? ` (${plainText(gpu.priceDate, 40)}${priceRemark(gpu)})` : ''
  const price = `${formatHourly(gpu)}${dated}${ofAllGpus(config)}, ${formatCount(hoursPerRun)} hours per run, ${formatCount(runsPerYear)} runs per year`
  return `${plainText(gpu.name, 60)}${describedRemark(gpu, plainText)}; memory ${memoryProvenance(config)}; throughput ${throughputProvenance(config)}; ${price}.`
}

/** Costs are for all GPUs, while the price is for one. */
function ofAllGpus({ gpu, spec }: AnalysedConfig): string {
  if (spec.gpus === 1 || !hasPrice(gpu)) return ''
  return `, ${formatUsd(spec.gpus * gpu.pricePerHourUsd)} for all ${formatCount(spec.gpus)} GPUs`
}
