/** Now against recommended against largest: a table, bars, and the cheaper GPU that would do. */
import { idleBytes, missingBytes } from '../metrics/memory.ts'
import { isSamePlan } from '../metrics/recommend.ts'
import type { AnalysedConfig, OperatingPoint } from '../report/schema.ts'
import { formatGib, formatRate, formatUsd } from '../units.ts'
import { bar, formatCount, formatRatio, formatShare, formatYearlyUsd, gibFigure, ofUsable } from './figures.ts'
import { codeBlock, escapeText, table } from './markdown.ts'

const BAR_CELLS = 20

export function comparison(config: AnalysedConfig): string {
  return [operatingTable(config), codeBlock('text', memoryBars(config)), rightSizing(config)]
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
      row('idle', column => idleCell(config, column)),
      row(
        `samples/s (${config.throughputProvenance})`,
        whereItRuns(point => rateCell(point, config.current)),
      ),
      row(
        'cost per run',
        whereItRuns(point => formatUsd(point.costPerRunUsd)),
      ),
      row(
        'cost per year',
        whereItRuns(point => formatYearlyUsd(point.costPerRunUsd * config.runsPerYear)),
      ),
    ],
    ['l', ...shown.map(() => 'r')],
  )
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

function idleCell({ gpu }: AnalysedConfig, { point, role }: Column): string {
  if (!point.fits) return `${formatGib(missingBytes(gpu, point))} too much`
  return `${formatGib(idleBytes(gpu, point))} ${role === 'now' ? 'waste' : 'headroom'}`
}

function rateCell(point: OperatingPoint, current: OperatingPoint): string {
  const rate = formatRate(point.samplesPerSecond)
  if (point === current || !current.fits) return rate
  return `${rate} (${formatRatio(point.samplesPerSecond / current.samplesPerSecond)})`
}

/** Numbers and fixed words only: nothing in here can close the fence. */
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

function rightSizing({ rightSizing, current }: AnalysedConfig): string | undefined {
  if (rightSizing === undefined) return undefined
  const { gpu, costPerRunUsd } = rightSizing
  const price = `${formatUsd(gpu.pricePerHourUsd)} an hour`
  const against = current.fits ? ` instead of ${formatUsd(current.costPerRunUsd)}` : ''
  return `This config needs only ${formatGib(current.peakBytes)}: ${article(gpu.name)} ${escapeText(gpu.name, 60)} (${formatGib(gpu.usableBytes)} usable) would run it at ${price}, ${formatUsd(costPerRunUsd)} per run${against}.`
}

/** By sound, for names such as A10, L4, RTX 3090 (the letters that are spoken with a vowel first). */
function article(name: string): 'a' | 'an' {
  return /^(?:[AEFHILMNORSX](?:[^a-z]|$)|[AEIO][a-z])/.test(name) ? 'an' : 'a'
}
