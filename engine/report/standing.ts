/**
 * A report's configs by themselves, without comparison with the base branch: the figures a verdict needs and the
 * possible savings.
 */
import { comparesWithinBatch } from '../training/batches.ts'
import { type Figures, judge } from '../verdict/judge.ts'
import type { Policy } from '../verdict/policy.ts'
import { errorBandOf, ratioRange } from './ranges.ts'
import type { AnalysedConfig, Report } from './schema.ts'
import { tooLargePeak } from './too-large-peak.ts'

/** The config with the verdict that it gets without comparison with the base branch. */
export function judgedAlone(config: AnalysedConfig, policy: Policy): AnalysedConfig {
  return { ...config, verdict: judge(figuresOf(config), policy) }
}

/** The configs that were analysed and so have figures. */
export function analysedIn({ configs }: Pick<Report, 'configs'>): AnalysedConfig[] {
  return configs.flatMap(config => (config.status === 'analysed' ? [config] : []))
}

/** The figures that a verdict is made from. */
export function figuresOf(
  config: Omit<AnalysedConfig, 'verdict' | 'status' | 'path' | 'training' | 'dialect' | 'assumptions'>,
): Figures {
  const { current, recommended = current, gpu, provenance, speedup, assumed = [] } = config
  return {
    fits: current.fits,
    mayNotFit: current.mayNotFit === true,
    usableBytes: gpu.usableBytes,
    peakBytes: current.peakBytes,
    provenance,
    errorBand: errorBandOf(config),
    speedup,
    speedupRange: ratioRange(speedup, config),
    keepsEffectiveBatch:
      recommended.effectiveBatch === current.effectiveBatch &&
      (recommended.microBatch === current.microBatch || !comparesWithinBatch(config.spec)),
    costPerYearUsd: current.costPerRunUsd * config.runsPerYear,
    gpuHoursPerYear: config.hoursPerRun * config.runsPerYear * config.spec.gpus,
    isAssumed: assumed.length > 0,
    hasUnreadSettings: assumed.includes('settings'),
    isEvaluationTooLarge: tooLargePeak(config, 'evaluation') !== undefined,
    isLoadingTooLarge: tooLargePeak(config, 'loading') !== undefined,
    // What is there between steps is there while it saves too.
    isSavingTooLarge: current.fits && tooLargePeak(config, 'saving') !== undefined,
    // A row tells those that do not resume what it would take.
    isResumingTooLarge: current.fits && config.spec.resumes === true && tooLargePeak(config, 'resuming') !== undefined,
  }
}

/** Yearly savings of all recommendations. One that costs more, to save memory, counts as 0. */
export function possibleSavingsUsd(report: Pick<Report, 'configs'>): number {
  return analysedIn(report).reduce((sum, { savingsPerYearUsd }) => sum + Math.max(0, savingsPerYearUsd), 0)
}
