/** Judges one config's figures by the policy. */
import { shareSaved } from '../metrics/cost.ts'
import { idlePercent } from '../metrics/memory.ts'
import { highestPeak, lowestPeak, type MemoryBand, type Range } from '../metrics/range.ts'
import { WORTHWHILE_SPEEDUP } from '../metrics/recommend.ts'
import type { Provenance } from '../probes/trial.ts'
import type { Condition, GainFloor, Policy, Reason, Spared, Verdict } from './policy.ts'

export interface Figures {
  readonly fits: boolean
  /** Fits by the estimate, but not in all of its error band. */
  readonly mayNotFit: boolean
  readonly usableBytes: number
  readonly peakBytes: number
  readonly provenance: Provenance
  readonly errorBand: MemoryBand
  /** Recommended over current throughput. */
  readonly speedup: number
  readonly speedupRange: Range
  /** Whether the recommendation keeps the effective batch, and with it the training. */
  readonly keepsEffectiveBatch: boolean
  /** Of the current config. */
  readonly costPerYearUsd: number
  /** Summed over all GPUs, for the current config. */
  readonly gpuHoursPerYear: number
  /** Whether the GPU, the number of GPUs, the sequence length or a memory setting was assumed. */
  readonly isAssumed: boolean
  /** Whether the config sets memory settings that were not understood. */
  readonly hasUnreadSettings: boolean
  /** Whether evaluation certainly does not fit. */
  readonly isEvaluationTooLarge: boolean
  /** Whether loading the weights before they are sharded certainly does not fit. */
  readonly isLoadingTooLarge: boolean
  /** Whether gathering sharded weights for a checkpoint certainly does not fit. */
  readonly isSavingTooLarge: boolean
  /** Whether loading the checkpoint that the config goes on from certainly does not fit. */
  readonly isResumingTooLarge: boolean
}

/** Blocks only on what holds throughout the error band; what holds in part of it only warns. */
export function judge(figures: Figures, policy: Policy): Verdict {
  const unread: Reason[] = figures.hasUnreadSettings ? [{ kind: 'unread-settings' }] : []
  const elsewhere: Reason[] = [
    ...(figures.isLoadingTooLarge ? [{ kind: 'loading-does-not-fit' } as const] : []),
    ...(figures.isEvaluationTooLarge ? [{ kind: 'evaluation-does-not-fit' } as const] : []),
    ...(figures.isSavingTooLarge ? [{ kind: 'saving-does-not-fit' } as const] : []),
    ...(figures.isResumingTooLarge ? [{ kind: 'resuming-does-not-fit' } as const] : []),
  ]
  return verdictOf(
    figures.fits
      ? policy.failOn.flatMap(condition => failing(condition, figures, policy))
      : [outOfMemory(figures, policy)],
    figures.fits
      ? [
          ...inDoubt(figures),
          ...policy.warnOn.flatMap(condition => broken(condition, figures)),
          ...elsewhere,
          ...unread,
        ]
      : unread,
  )
}

/** `failing`: reasons to block, unless they are spared. `remarkable`: reasons to warn. */
export function verdictOf(failing: readonly Reason[], remarkable: readonly Reason[]): Verdict {
  const blocking = failing.filter(({ spared }) => spared === undefined)
  if (blocking.length > 0) return { state: 'blocked', reasons: blocking }
  const reasons = [...failing, ...remarkable]
  return { state: reasons.length > 0 ? 'warning' : 'fine', reasons }
}

/** The reason for a config that fits in only part of the error band. */
function inDoubt(figures: Figures): Reason[] {
  const fitsThroughout = !figures.mayNotFit && highestPeak(figures) <= figures.usableBytes
  const isCertain = figures.provenance === 'measured' || fitsThroughout
  return isCertain ? [] : [{ kind: 'does-not-fit', spared: figures.isAssumed ? 'assumed' : 'within-error' }]
}

function outOfMemory(figures: Figures, { failOn }: Policy): Reason {
  // A measured out-of-memory error counts, whatever peak is predicted.
  const isCertain = figures.provenance === 'measured' || lowestPeak(figures) > figures.usableBytes
  const open = figures.isAssumed ? 'assumed' : isCertain ? undefined : 'within-error'
  const spared = open ?? (failOn.length === 0 ? 'never' : undefined)
  return { kind: 'does-not-fit', ...(spared && { spared }) }
}

function failing(condition: Condition, figures: Figures, policy: Policy): Reason[] {
  const spared = sparedBy(condition, figures, policy)
  return broken(condition, figures).map(reason => (spared === undefined ? reason : { ...reason, spared }))
}

/** Why a violated condition does not block; undefined if it does. */
function sparedBy(condition: Condition, figures: Figures, { gainFloor }: Policy): Spared | undefined {
  if (figures.isAssumed) return 'assumed'
  const friendly = atFriendlyEnd(figures)
  if (broken(condition, friendly).length === 0) return 'within-error'
  return gainFloor !== undefined && isBelow(gainFloor, friendly) ? 'below-floor' : undefined
}

/** The figures at the ends of their bands that are best for the config. */
function atFriendlyEnd(figures: Figures): Figures {
  return { ...figures, peakBytes: highestPeak(figures), speedup: figures.speedupRange.low }
}

function isBelow({ usdPerYear, gpuHoursPerYear }: GainFloor, { speedup, ...figures }: Figures): boolean {
  const share = shareSaved(speedup)
  return figures.costPerYearUsd * share < usdPerYear && figures.gpuHoursPerYear * share < gpuHoursPerYear
}

function broken(condition: Condition, figures: Figures): Reason[] {
  // A config that does not fit is judged by that alone, before any condition.
  if (condition.kind === 'does-not-fit') return []
  const actual = actualOf(condition, figures)
  const limit = condition.kind === 'annual-cost' ? condition.aboveUsd : condition.abovePercent
  return actual > limit ? [{ kind: 'condition', condition, actual }] : []
}

/** The condition's actual value, in the unit of its limit. */
function actualOf(condition: Exclude<Condition, { kind: 'does-not-fit' }>, figures: Figures): number {
  switch (condition.kind) {
    case 'waste':
      return figures.speedup < WORTHWHILE_SPEEDUP ? 0 : idlePercent(figures, figures)
    case 'throughput-loss':
      return condition.sameEffectiveBatch && !figures.keepsEffectiveBatch ? 0 : (figures.speedup - 1) * 100
    case 'annual-cost':
      return figures.costPerYearUsd * shareSaved(figures.speedup)
  }
}
