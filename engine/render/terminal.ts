/** The report in a terminal. Untrusted text passes through `plainText`, so it cannot steer the terminal. */

import { styleText } from 'node:util'
import { configName } from '../config/training-place.ts'
import { idleBytes, missingBytes } from '../metrics/memory.ts'
import { isSamePlan } from '../metrics/recommend.ts'
import type { AnalysedConfig, ConfigResult, OperatingPoint, Report } from '../report/schema.ts'
import { formatGib } from '../units.ts'
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
import { configState, findingOf, headline, type VerdictState, verdictState } from './verdict.ts'

export interface TerminalOptions {
  readonly color: boolean
  /** Width to wrap at. */
  readonly columns: number
  /** Whether anything acts on the verdict; otherwise a config `would block`. */
  readonly judges?: boolean
}

type Style = 'red' | 'yellow' | 'green' | 'bold' | 'dim'

interface Page {
  readonly paint: (style: Style, text: string) => string
  readonly columns: number
  readonly judges: boolean
}

const INDENT = '  '
const LABEL_WIDTH = 12

/** Ends without a newline. */
export function renderTerminal(report: Report, { color, columns, judges = true }: TerminalOptions): string {
  const page: Page = {
    paint: (style, text) => (color ? styleText(style, text, { validateStream: false }) : text),
    columns: Math.max(40, columns),
    judges,
  }
  if (report.configs.length === 0) return 'No training config found: nothing to measure.'
  const state = verdictState(report)
  const closing = wrap(`MemoryMark: ${headline(report)}.`, '', page.columns)
  return [...report.configs.map(config => block(config, page)), page.paint(stateStyle(state), closing)].join('\n\n')
}

function block(config: ConfigResult, page: Page): string {
  const state = configState(config)
  const heading = `${page.paint(stateStyle(state), stateWord(config, page))} ${page.paint('bold', plainPath(configName(config)))}`
  const body =
    config.status === 'analysed'
      ? analysedLines(config, page)
      : config.problems.map(problem => wrap(plainProblem(problem), INDENT, page.columns))
  return [heading, ...body].join('\n')
}

function stateWord(config: ConfigResult, { judges }: Page): string {
  if (config.status === 'not-analysed') return 'not analysed'
  if (!config.current.fits) return findingOf(config) === 'may-not-fit' ? 'may not fit' : 'out of memory'
  return config.verdict.state === 'blocked' && !judges ? 'would block' : config.verdict.state
}

function stateStyle(state: VerdictState): Style {
  switch (state) {
    case 'nothing-to-measure':
    case 'fine':
      return 'green'
    case 'warning':
      return 'yellow'
    case 'blocked':
      return 'red'
  }
}

function analysedLines(config: AnalysedConfig, page: Page): string[] {
  const known = page.paint('dim', wrap(knownHow(config), INDENT, page.columns))
  const bars = barLines(config, page)
  if (findingOf(config) === 'fine')
    return [...bars, wrap(`${capitalised(fineRemark(config))}.`, INDENT, page.columns), known]
  return [...bars, ...breakdownLines(config, page), ...adviceLines(config, page), known]
}

/** A size that repeats the one before it says nothing new, nor does one that brings nothing. */
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

function barLine(config: AnalysedConfig, label: string, point: OperatingPoint, { paint, columns }: Page): string {
  const { gpu } = config
  const cells = Math.max(10, Math.min(30, columns - 60))
  const filled = bar(gpu.usableBytes === 0 ? 1 : point.peakBytes / gpu.usableBytes, cells)
  const size = `${formatCount(point.microBatch)} × ${formatCount(point.gradientAccumulation)}`
  const memory = `${ofUsable(point.peakBytes, gpu.usableBytes)} (${formatShare(config, point)})`
  const painted = paint(point.fits ? stateStyle(label === 'now' ? config.verdict.state : 'fine') : 'red', filled)
  return `${INDENT}${label.padEnd(LABEL_WIDTH)}${size.padEnd(9)} ${painted} ${memory}${pace(config, point)}`
}

function pace({ throughputProvenance }: AnalysedConfig, point: OperatingPoint): string {
  const { fits, samplesPerSecond, samplesPerSecondRange: range } = point
  if (!fits || samplesPerSecond === undefined) return ''
  return `, ${formatSpeed(samplesPerSecond, range)} samples/s ${throughputProvenance}`
}

function breakdownLines({ breakdown, current, gpu }: AnalysedConfig, { columns }: Page): string[] {
  const parts = partsOf(breakdown).map(({ name, bytes }) => `${name} ${formatPart(bytes)}`)
  const rest = current.fits ? `${formatGib(idleBytes(gpu, current))} of the GPU is idle` : tooMuch(gpu, current)
  return [wrap(`Memory: ${parts.join(', ')}; ${rest}.`, INDENT, columns)]
}

/** What is allocated may be less than the GPU has, and what the allocator reserves for it more. */
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
  const price = `${formatHourly(gpu)}${dated}, ${formatCount(hoursPerRun)} hours per run, ${formatCount(runsPerYear)} runs per year`
  return `${plainText(gpu.name, 60)}${describedRemark(gpu, plainText)}; memory ${memoryProvenance(config)}; throughput ${throughputProvenance(config)}; ${price}.`
}

/** Breaks at spaces; a word longer than the line stays whole, so that paths can be copied. */
function wrap(text: string, indent: string, columns: number): string {
  const lines: string[] = []
  let line = indent
  for (const word of text.split(' ')) {
    if (line.length > indent.length && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = indent
    }
    line += line.length === indent.length ? word : ` ${word}`
  }
  return [...lines, line].join('\n')
}
