/** Holds one config's figures against the policy. */
import { idlePercent } from '../metrics/memory.ts'
import type { Condition, Policy, Reason, Verdict } from './policy.ts'

export interface Figures {
  readonly fits: boolean
  readonly usableBytes: number
  readonly peakBytes: number
  /** Recommended against current throughput. */
  readonly speedup: number
  readonly savingsPerYearUsd: number
}

/** Idle memory is waste only when it could be used: below this speedup there is nothing to gain. */
const WORTHWHILE_SPEEDUP = 1.05

export function judge(figures: Figures, policy: Policy): Verdict {
  if (!figures.fits) return { state: 'blocked', reasons: [{ kind: 'does-not-fit' }] }
  const blocking = policy.failOn.flatMap(condition => broken(condition, figures))
  if (blocking.length > 0) return { state: 'blocked', reasons: blocking }
  const remarkable = policy.warnOn.flatMap(condition => broken(condition, figures))
  return { state: remarkable.length > 0 ? 'warning' : 'fine', reasons: remarkable }
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
