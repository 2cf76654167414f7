/** Compares the current, recommended and largest batch in a table and bars, and names a cheaper GPU that would do. */
import { formatGib, formatUsd } from '../base/units.ts'
import { idleBytes, missingBytes } from '../metrics/memory.ts'
import { isSamePlan } from '../metrics/recommend.ts'
import { ratioRange } from '../report/ranges.ts'
import type { AnalysedConfig, OperatingPoint } from '../report/schema.ts'
import {
  bar,
  formatCount,
  formatHourly,
  formatRatioRange,
  formatRunCost,
  formatShare,
  formatSpeed,
  formatYearlyRange,
  formatYearlyUsd,
  gibFigure,
  hasPrice,
  ofUsable,
} from './figures.ts'
import { codeBlock, escapeText, inlineCode, table } from './markdown.ts'

const BAR_CELLS = 20

export function comparison(config: AnalysedConfig): string {
  return [operatingTable(config), codeBlock('text', memoryBars(config)), cardTable(config), rightSizing(config)]
    .filter(Boolean)
    .join('\n\n')
}

interface Column {
  readonly heading: string
  readonly point: OperatingPoint
  readonly role: 'now' | 'recommended' | 'largest'
}

function columns({ current, recommended, largest }: AnalysedConfig): Column[] {
  const same = recommended !== undefined && isSamePlan(recommended, largest)
  return [
    { heading: 'now', point: current, role: 'now' },
    ...(recommended
      ? [
          {
            heading: same ? 'recommended, the largest that fits' : 'recommended',
            point: recommended,
            role: 'recommended',
          } as const,
        ]
      : []),
    ...(largest && !same ? [{ heading: 'largest that fits', point: largest, role: 'largest' } as const] : []),
  ]
}

function operatingTable(config: AnalysedConfig): string {
  const shown = columns(config)
  const row = (label: string, cell: (column: Column) => string) => [label, ...shown.map(cell)]
  const whereItRuns = (cell: (point: OperatingPoint) => string) => (column: Column) =>
    column.point.fits ? cell(column.point) : '–'
  return table(
    [
      row('', ({ heading }) => heading),
      row('micro-batch × accumulation', microBatchCell),
      row('effective batch', ({ point }) => effectiveCell(point, config.current)),
      row(
        `peak memory (${config.provenance})`,
        ({ point }) => `${formatGib(point.peakBytes)} (${formatShare(config, point)})`,
      ),
      ...(shown.some(({ point }) => point.reservedBytes !== undefined)
        ? [row(`reserved by PyTorch (${config.provenance})`, ({ point }) => reservedCell(point))]
        : []),
      row('idle', column => idleCell(config, column)),
      ...(config.throughputProvenance === 'unknown'
        ? []
        : [
            row(
              `samples/s (${config.throughputProvenance})`,
              whereItRuns(point => rateCell(point, config)),
            ),
          ]),
      ...(hasPrice(config.gpu) ? costRows(config, row, whereItRuns) : []),
    ],
    ['l', ...shown.map(() => 'r')],
  )
}

type Row = (label: string, cell: (column: Column) => string) => string[]
type WhereItRuns = (cell: (point: OperatingPoint) => string) => (column: Column) => string

function costRows({ runsPerYear }: AnalysedConfig, row: Row, whereItRuns: WhereItRuns): string[][] {
  return [
    row('cost per run', whereItRuns(formatRunCost)),
    row(
      'cost per year',
      whereItRuns(point => yearlyCell(point, runsPerYear)),
    ),
  ]
}

function yearlyCell({ costPerRunUsd, costPerRunRangeUsd: range }: OperatingPoint, runsPerYear: number): string {
  if (range === undefined) return formatYearlyUsd(costPerRunUsd * runsPerYear)
  return formatYearlyRange({ low: range.low * runsPerYear, high: range.high * runsPerYear })
}

function microBatchCell({ point, role }: Column): string {
  const size = `${formatCount(point.microBatch)} × ${formatCount(point.gradientAccumulation)}`
  return role === 'recommended' ? `**${size}**` : size
}

function effectiveCell(point: OperatingPoint, current: OperatingPoint): string {
  if (point === current) return formatCount(point.effectiveBatch)
  const note = point.effectiveBatch === current.effectiveBatch ? 'unchanged' : 'changed'
  return `${formatCount(point.effectiveBatch)} (${note})`
}

function idleCell({ gpu }: AnalysedConfig, { point }: Column): string {
  const { reservedBytes = 0, peakBytes } = point
  if (!point.fits && peakBytes <= gpu.usableBytes && reservedBytes > gpu.usableBytes) {
    return `${formatGib(reservedBytes - gpu.usableBytes)} too much, with fragments`
  }
  if (!point.fits) return `${formatGib(missingBytes(gpu, point))} too much`
  return formatGib(idleBytes(gpu, point))
}

/** What the caching allocator reserves, fragments included: this must fit. */
function reservedCell({ reservedBytes }: OperatingPoint): string {
  return reservedBytes === undefined ? '–' : formatGib(reservedBytes)
}

function rateCell(point: OperatingPoint, config: AnalysedConfig): string {
  const { current } = config
  if (point.samplesPerSecond === undefined) return '–'
  const rate = formatSpeed(point.samplesPerSecond, point.samplesPerSecondRange)
  if (point === current || !current.fits || current.samplesPerSecond === undefined) return rate
  return `${rate} (${formatRatioRange(ratioRange(point.samplesPerSecond / current.samplesPerSecond, config))})`
}

/** Numbers and fixed words only, so that nothing can close the code fence. */
function memoryBars(config: AnalysedConfig): string {
  const { current, recommended, gpu } = config
  const rows = [
    { label: 'now', point: current },
    ...(recommended && recommended.microBatch !== current.microBatch
      ? [{ label: 'recommended', point: recommended }]
      : []),
  ]
  return rows
    .map(({ label, point }, index) => {
      const figure = index === rows.length - 1 ? ofUsable(point.peakBytes, gpu.usableBytes) : gibFigure(point.peakBytes)
      const filled = bar(gpu.usableBytes === 0 ? 1 : point.peakBytes / gpu.usableBytes, BAR_CELLS)
      return `${label.padEnd(11)} ${filled}${point.fits ? ' ' : '▶'} ${figure}`
    })
    .join('\n')
}

/** One row per common card, where no GPU is named. */
function cardTable({ cardFits, provenance }: AnalysedConfig): string | undefined {
  if (cardFits === undefined) return undefined
  const rows = cardFits.map(({ gpu, peakBytes, fits }) => [
    escapeText(gpu.name, 60),
    ofUsable(peakBytes, gpu.usableBytes),
    fits ? 'fits' : peakBytes > gpu.usableBytes ? 'does not fit' : 'may not fit',
    inlineCode(`gpu: ${gpu.id}`, 80),
  ])
  return table([['GPU', `peak memory (${provenance})`, 'as it is', 'to name it'], ...rows], ['l', 'r', 'l', 'l'])
}

function rightSizing({ rightSizing, current }: AnalysedConfig): string | undefined {
  if (rightSizing === undefined) return undefined
  const { gpu } = rightSizing
  const price = formatHourly(gpu)
  const against = current.fits ? ` instead of ${formatUsd(current.costPerRunUsd)}` : ''
  return `This config needs ${current.fits ? 'only ' : ''}${formatGib(current.peakBytes)}: ${article(gpu.name)} ${escapeText(gpu.name, 60)} (${formatGib(gpu.usableBytes)} usable) would run it at ${price}, ${formatRunCost(rightSizing)} per run${against}.`
}

/** Chooses the article by sound: `an A10`, `an RTX 3090`, `a T4`. */
function article(name: string): 'a' | 'an' {
  return /^(?:[AEFHILMNORSX](?:[^a-z]|$)|[AEIO][a-z])/.test(name) ? 'an' : 'a'
}
