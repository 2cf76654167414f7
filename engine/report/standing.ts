/** A report's configs judged on their own, not compared with the base branch. */
import { shareSaved } from '../metrics/cost.ts'
import { type MemoryBand, type Range, ratioWithin, symmetricBand } from '../metrics/range.ts'
import { type Figures, judge } from '../verdict/judge.ts'
import type { Policy } from '../verdict/policy.ts'
import type { AnalysedConfig, Report } from './schema.ts'

/** The same figures, judged on their own. */
export function judgedAlone(config: AnalysedConfig, policy: Policy): AnalysedConfig {
  return { ...config, verdict: judge(figuresOf(config), policy) }
}

/** Those that have figures. */
export function analysedIn({ configs }: Pick<Report, 'configs'>): AnalysedConfig[] {
  return configs.flatMap(config => (config.status === 'analysed' ? [config] : []))
}

/** What a verdict is made of. */
export function figuresOf(
  config: Omit<AnalysedConfig, 'verdict' | 'status' | 'path' | 'dialect' | 'assumptions'>,
): Figures {
  const { current, recommended = current, gpu, provenance, speedup, assumed = [] } = config
  return {
    fits: current.fits,
    usableBytes: gpu.usableBytes,
    peakBytes: current.peakBytes,
    provenance,
    errorBand: errorBandOf(config),
    speedup,
    speedupRange: ratioRange(speedup, config),
    keepsEffectiveBatch: recommended.effectiveBatch === current.effectiveBatch,
    costPerYearUsd: current.costPerRunUsd * config.runsPerYear,
    gpuHoursPerYear: config.hoursPerRun * config.runsPerYear * config.spec.gpus,
    isAssumed: assumed.length > 0,
  }
}

/** Older reports have one width for both sides. */
export function errorBandOf({
  errorBand,
  errorBandPercent,
}: Pick<AnalysedConfig, 'errorBand' | 'errorBandPercent'>): MemoryBand {
  return errorBand ?? symmetricBand(errorBandPercent)
}

type Ratios = Pick<AnalysedConfig, 'ratioBand' | 'throughputBandPercent'>

/** A ratio of two throughputs with its band. Older reports have the spread of measured throughputs only. */
export function ratioRange(ratio: number, { ratioBand, throughputBandPercent = 0 }: Ratios): Range {
  // A batch is exactly as fast as itself.
  if (ratio === 1) return { low: 1, high: 1 }
  if (ratioBand === undefined) return ratioWithin(ratio, throughputBandPercent)
  return { low: ratio * ratioBand.low, high: ratio * ratioBand.high }
}

/** What the recommendations would save in a year, over all configs: a recommendation that costs more is for memory's sake. */
export function possibleSavingsUsd(report: Pick<Report, 'configs'>): number {
  return analysedIn(report).reduce((sum, { savingsPerYearUsd }) => sum + Math.max(0, savingsPerYearUsd), 0)
}

/** The savings of a year at both ends of the speedup's range. */
export function savingsRangeOf(config: AnalysedConfig): Range {
  const perYearUsd = config.current.costPerRunUsd * config.runsPerYear
  const { low, high } = ratioRange(config.speedup, config)
  return { low: perYearUsd * shareSaved(low), high: perYearUsd * shareSaved(high) }
}
