/** Memory and throughput by batch size. Each chart is drawn from its own table, which is its text alternative. */
import { html } from 'hono/html'
import { formatGib, GIB } from '../../../engine/base/units.ts'
import { isBroken, peakOf } from '../../../engine/probes/trial.ts'
import { formatCount, formatSpeed } from '../../../engine/render/figures.ts'
import type { AnalysedConfig } from '../../../engine/report/schema.ts'
import { type ChartRow, chart } from '../chart.ts'
import type { Html } from '../page.ts'
import { chip, memoryChip } from '../provenance.ts'
import { FRAGMENTED } from './sizes.ts'

export function curves(config: AnalysedConfig): Html {
  return html`<div class="columns">${memoryCurve(config)}${throughputCurve(config)}</div>`
}

function memoryCurve(config: AnalysedConfig): Html {
  const { gpu, provenance } = config
  const points = memoryPoints(config)
  const isFragmented = ({ fits, bytes = Number.POSITIVE_INFINITY }: MemoryPoint) => !fits && bytes <= gpu.usableBytes
  return chart({
    id: 'memory-curve',
    title: html`Memory against batch ${memoryChip(config)}`,
    note: `One micro-batch per step. The line only connects the points.${points.some(isFragmented) ? ` ${FRAGMENTED}` : ''}`,
    xName: 'Micro-batch',
    yName: `Peak memory, ${provenance}`,
    yUnit: 'GiB',
    limit: { value: gpu.usableBytes / GIB, name: `usable, ${formatGib(gpu.usableBytes)}` },
    // A size tried only with gradient accumulation may lie beyond the curve.
    marks: marksOf(config).filter(({ x }) => x <= (points.at(-1)?.microBatch ?? 0)),
    rows: points.map(point => {
      const { microBatch, bytes, fits, isMeasured } = point
      return {
        x: microBatch,
        xText: formatCount(microBatch),
        // If the missing bytes are unknown, the cross is drawn on the limit.
        y: (bytes ?? gpu.usableBytes) / GIB,
        yText: bytes === undefined ? 'more than the GPU has' : formatGib(bytes),
        remark: fits ? 'fits' : isFragmented(point) ? 'out of memory (fragmented)' : 'out of memory',
        isBad: !fits,
        isMeasured,
      }
    }),
  })
}

function throughputCurve(config: AnalysedConfig): Html {
  const { throughputProvenance } = config
  const points = throughputPoints(config)
  return chart({
    id: 'throughput-curve',
    title: html`Throughput against batch ${chip(throughputProvenance)}`,
    note: 'One micro-batch per step. The recommendation is the smallest size that reaches within 2 % of the best throughput and fits with a margin.',
    xName: 'Micro-batch',
    yName: `Samples per second, ${throughputProvenance}`,
    yUnit: '/s',
    // A size that does not fit has no speed.
    marks: marksOf(config).filter(({ x }) => x <= (points.at(-1)?.x ?? 0)),
    rows: points,
  })
}

function marksOf({ current, recommended }: AnalysedConfig) {
  const keeps = recommended?.microBatch === current.microBatch
  return [
    { x: current.microBatch, name: keeps ? 'now, recommended' : 'now', kind: 'now' as const },
    ...(recommended && !keeps
      ? [{ x: recommended.microBatch, name: 'recommended', kind: 'recommended' as const }]
      : []),
  ]
}

interface MemoryPoint {
  readonly microBatch: number
  readonly bytes: number | undefined
  readonly fits: boolean
  readonly isMeasured: boolean
}

/**
 * For each size, without gradient accumulation: the trial's figure, else an estimate, else an operating point's, else
 * out of memory. With accumulation a step takes more memory and is not on this curve.
 */
function memoryPoints({ trials, current, recommended, largest, throughputCurve = [] }: AnalysedConfig): MemoryPoint[] {
  const described = [current, recommended, largest].flatMap(point =>
    point?.gradientAccumulation === 1
      ? [{ microBatch: point.microBatch, bytes: point.peakBytes, fits: point.fits, isMeasured: false }]
      : [],
  )
  const tried = trials.flatMap(({ microBatch, accumulates, outcome, provenance }) =>
    isBroken(outcome) || accumulates
      ? []
      : [{ microBatch, bytes: peakOf(outcome), fits: outcome.kind === 'fits', isMeasured: provenance === 'measured' }],
  )
  const estimated = throughputCurve.flatMap(({ microBatch, peakBytes: bytes }) =>
    bytes === undefined ? [] : [{ microBatch, bytes, fits: true, isMeasured: false }],
  )
  const known = tried.filter(({ bytes }) => bytes !== undefined)
  const outOfMemory = tried.filter(({ fits }) => !fits)
  const bySize = new Map([...outOfMemory, ...described, ...estimated, ...known].map(point => [point.microBatch, point]))
  return [...bySize.values()].sort((a, b) => a.microBatch - b.microBatch)
}

function throughputPoints({ throughputCurve = [], throughputProvenance, throughputBand }: AnalysedConfig): ChartRow[] {
  return throughputCurve.map(({ microBatch, samplesPerSecond }) => ({
    x: microBatch,
    xText: formatCount(microBatch),
    y: samplesPerSecond,
    yText: `${formatSpeed(
      samplesPerSecond,
      throughputBand && {
        low: samplesPerSecond * throughputBand.low,
        high: samplesPerSecond * throughputBand.high,
      },
    )} samples/s`,
    remark: '',
    isBad: false,
    isMeasured: throughputProvenance === 'measured',
  }))
}
