/** Judges one config's figures by the policy. */
import { idlePercent } from '../metrics/memory.ts'
import { WORTHWHILE_SPEEDUP } from '../metrics/recommend.ts'
import type { Provenance } from '../probes/trial.ts'
import type { Condition, Policy, Reason, Verdict } from './policy.ts'

export interface Figures {
  readonly fits: boolean
  readonly usableBytes: number
  readonly peakBytes: number
  readonly provenance: Provenance
  /** Half-width of the band around `peakBytes`, in percent of it. */
  readonly errorBandPercent: number
  /** Recommended against current throughput. */
  readonly speedup: number
  /** Half-width of the band around either throughput, in percent of it; 0 where no clock made them. */
  readonly throughputBandPercent: number
  readonly savingsPerYearUsd: number
}

/** Blocks only on what holds throughout the error band; what holds in part of it gives a warning. */
export function judge(figures: Figures, policy: Policy): Verdict {
  return verdictOf(
    figures.fits ? policy.failOn.flatMap(condition => failing(condition, figures)) : [outOfMemory(figures)],
    figures.fits ? policy.warnOn.flatMap(condition => broken(condition, figures)) : [],
  )
}

/** `failing`: reasons to block, unless they are spared; `remarkable`: reasons to warn. */
export function verdictOf(failing: readonly Reason[], remarkable: readonly Reason[]): Verdict {
  const blocking = failing.filter(({ spared }) => spared === undefined)
  if (blocking.length > 0) return { state: 'blocked', reasons: blocking }
  const reasons = [...failing, ...remarkable]
  return { state: reasons.length > 0 ? 'warning' : 'fine', reasons }
}

function outOfMemory(figures: Figures): Reason {
  // If a GPU ran out of memory, the config does not fit, whatever peak our model predicts.
  const isCertain = figures.provenance === 'measured' || atError(figures, -1).peakBytes > figures.usableBytes
  return { kind: 'does-not-fit', ...(!isCertain && { spared: 'within-error' }) }
}

function failing(condition: Condition, figures: Figures): Reason[] {
  const isCertain = broken(condition, atError(figures, 1)).length > 0
  return broken(condition, figures).map(reason => (isCertain ? reason : { ...reason, spared: 'within-error' }))
}

/** The figures at one end of the error band: 1 makes the config look better, −1 worse. */
function atError(figures: Figures, side: 1 | -1): Figures {
  const band = (side * figures.throughputBandPercent) / 100
  const speedup = (figures.speedup * (1 - band)) / (1 + band)
  return {
    ...figures,
    peakBytes: figures.peakBytes * (1 + (side * figures.errorBandPercent) / 100),
    speedup,
    savingsPerYearUsd: figures.savingsPerYearUsd * savingsRatio(figures.speedup, speedup),
  }
}

/** A run's savings are proportional to the share of its time that the speedup removes. */
function savingsRatio(from: number, to: number): number {
  return from === 1 ? 1 : (1 - 1 / to) / (1 - 1 / from)
}

function broken(condition: Condition, figures: Figures): Reason[] {
  switch (condition.kind) {
    case 'waste': {
      const actual = figures.speedup < WORTHWHILE_SPEEDUP ? 0 : idlePercent(figures, figures)
      return actual > condition.abovePercent ? [{ kind: 'condition', condition, actual }] : []
    }
    case 'throughput-loss': {
      const actual = (figures.speedup - 1) * 100
      return actual > condition.abovePercent ? [{ kind: 'condition', condition, actual }] : []
    }
    case 'annual-cost':
      return figures.savingsPerYearUsd > condition.aboveUsd
        ? [{ kind: 'condition', condition, actual: figures.savingsPerYearUsd }]
        : []
  }
}
