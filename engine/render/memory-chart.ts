/** Peak memory against micro-batch as Mermaid, which GitHub draws in comments and summaries. Numbers and fixed words only. */
import { GIB } from '../base/units.ts'
import { peakOf } from '../probes/trial.ts'
import type { AnalysedConfig } from '../report/schema.ts'
import { codeBlock } from './markdown.ts'

/** More bars than this cannot be told apart in a comment's width. */
const MAX_BARS = 16

/** Undefined where fewer than two sizes are known: one bar is not a curve. */
export function memoryChart(config: AnalysedConfig): string | undefined {
  const sizes = spread(knownPeaks(config), MAX_BARS)
  if (sizes.length < 2) return undefined
  const peaks = sizes.map(([, peakBytes]) => inGib(peakBytes))
  const limit = inGib(config.gpu.usableBytes)
  const alone = config.current.gradientAccumulation > 1 ? ' without accumulation' : ''
  const top = Math.ceil(Math.max(limit, ...peaks) * 1.05)
  return codeBlock(
    'mermaid',
    [
      'xychart-beta',
      `  title "Peak memory by micro-batch${alone} (bars) and usable memory (line)"`,
      `  x-axis "micro-batch" [${sizes.map(([microBatch]) => microBatch).join(', ')}]`,
      `  y-axis "GiB" 0 --> ${Math.max(1, top)}`,
      `  bar [${peaks.join(', ')}]`,
      `  line [${sizes.map(() => limit).join(', ')}]`,
    ].join('\n'),
  )
}

/** At most `count` items, evenly spread, both ends kept. */
export function spread<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items]
  const step = (items.length - 1) / (count - 1)
  const kept = new Set(Array.from({ length: count }, (_, index) => Math.round(index * step)))
  return items.filter((_, index) => kept.has(index))
}

/**
 * [micro-batch, peak bytes] without gradient accumulation, by size; a trial's figure wins over an operating point's.
 * With accumulation a step takes more memory, which would show as a bump.
 */
function knownPeaks({ current, recommended, largest, trials }: AnalysedConfig): [number, number][] {
  const points = [current, recommended, largest].flatMap(point =>
    point?.gradientAccumulation === 1 ? [[point.microBatch, point.peakBytes] as [number, number]] : [],
  )
  const tried = trials.flatMap(({ microBatch, accumulates, outcome }): [number, number][] => {
    const bytes = peakOf(outcome)
    return bytes === undefined || accumulates ? [] : [[microBatch, bytes]]
  })
  return [...new Map([...points, ...tried])].sort(([a], [b]) => a - b)
}

function inGib(bytes: number): number {
  return Math.round((bytes / GIB) * 100) / 100
}
