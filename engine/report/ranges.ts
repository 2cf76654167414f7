/** The intervals in which a report's figures lie: peaks, ratios of throughputs, savings. */
import { shareSaved } from '../metrics/cost.ts'
import { type MemoryBand, type Range, ratioWithin, symmetricBand } from '../metrics/range.ts'
import type { AnalysedConfig } from './schema.ts'

/** The error band of memory. Older reports have one width for both sides. */
export function errorBandOf({
  errorBand,
  errorBandPercent,
}: Pick<AnalysedConfig, 'errorBand' | 'errorBandPercent'>): MemoryBand {
  return errorBand ?? symmetricBand(errorBandPercent)
}

interface Ratios {
  readonly ratioBand?: Range | undefined
  readonly throughputBandPercent?: number | undefined
}

/** A ratio of two throughputs with its band. Older reports have only the spread of measured throughputs. */
export function ratioRange(ratio: number, { ratioBand, throughputBandPercent = 0 }: Ratios): Range {
  // A batch is exactly as fast as itself.
  if (ratio === 1) return { low: 1, high: 1 }
  if (ratioBand === undefined) return ratioWithin(ratio, throughputBandPercent)
  return { low: ratio * ratioBand.low, high: ratio * ratioBand.high }
}

/** Savings per year at both ends of the speedup's range. */
export function savingsRangeOf(config: AnalysedConfig): Range {
  const perYearUsd = config.current.costPerRunUsd * config.runsPerYear
  const { low, high } = ratioRange(config.speedup, config)
  return { low: perYearUsd * shareSaved(low), high: perYearUsd * shareSaved(high) }
}
