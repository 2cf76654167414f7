/** A report's configs on their own, not compared with the base branch: what their verdicts are made of, and what they could save. */
import { type Figures, judge } from '../verdict/judge.ts'
import type { Policy } from '../verdict/policy.ts'
import { errorBandOf, ratioRange } from './ranges.ts'
import type { AnalysedConfig, Report, RunPeak } from './schema.ts'

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
  config: Omit<AnalysedConfig, 'verdict' | 'status' | 'path' | 'training' | 'dialect' | 'assumptions'>,
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
    hasUnreadSettings: assumed.includes('settings'),
    isEvaluationTooLarge: isTooLarge(config.peaks, 'evaluation'),
    isLoadingTooLarge: isTooLarge(config.peaks, 'loading'),
  }
}

/** Metrics, with which an evaluation would need more still, nobody has to compute. */
function isTooLarge(peaks: readonly RunPeak[] = [], phase: 'loading' | 'evaluation'): boolean {
  return peaks.some(peak => peak.phase === phase && peak.state === 'does-not-fit')
}

/** What the recommendations would save in a year, over all configs: a recommendation that costs more is for memory's sake. */
export function possibleSavingsUsd(report: Pick<Report, 'configs'>): number {
  return analysedIn(report).reduce((sum, { savingsPerYearUsd }) => sum + Math.max(0, savingsPerYearUsd), 0)
}
