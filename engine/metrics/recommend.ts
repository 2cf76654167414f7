/** Chooses the batch to recommend. */
import type { BatchBounds } from '../config/spec.ts'
import type { Grid } from '../search/grid.ts'

/** Within this share of the best throughput, a smaller batch is the better one. */
const THROUGHPUT_TOLERANCE = 0.02

/** Share of usable memory that a recommendation leaves free. */
export const DEFAULT_MARGIN = 0.05

/** If keeping an effective batch without useful divisors (a prime) would cost more than a tenth of the speed, it is given up. */
const KEEPING_WORTH = 0.9

export interface BatchPlan {
  readonly microBatch: number
  readonly gradientAccumulation: number
}

interface Situation {
  readonly current: BatchPlan
  readonly grid: Grid
  /** The largest size on the grid that fits with the margin. */
  readonly largestWithMargin: number
  /** If set, the effective batch is kept as far as the tool can accumulate. */
  readonly bounds?: BatchBounds | undefined
  /** Never decreases with the batch: a larger one amortises fixed costs. */
  readonly samplesPerSecond: (plan: BatchPlan) => number
}

/**
 * The smallest batch within 2 % of the best throughput among those that fit with the margin. Where the config accumulates
 * gradients, or has to shrink, the effective batch is kept if a divisor allows it: training stays the same.
 */
function recommend(situation: Situation): BatchPlan {
  const { current, samplesPerSecond, bounds } = situation
  if (bounds !== undefined) return withinBounds(situation, bounds)
  const fastest = smallestNearBest(situation)
  if (current.gradientAccumulation === 1 && fastest > current.microBatch) {
    return { microBatch: fastest, gradientAccumulation: 1 }
  }
  const perGpu = current.microBatch * current.gradientAccumulation
  const changed = { microBatch: fastest, gradientAccumulation: Math.max(1, Math.round(perGpu / fastest)) }
  const kept = keepingEffectiveBatch(situation, perGpu)
  const keptIsGood =
    kept.gradientAccumulation === 1 || samplesPerSecond(kept) >= KEEPING_WORTH * samplesPerSecond(changed)
  return keptIsGood ? kept : changed
}

function withinBounds(situation: Situation, { dividend, accumulates }: BatchBounds): BatchPlan {
  const { current, largestWithMargin } = situation
  if (accumulates) return keepingEffectiveBatch(situation, current.microBatch * current.gradientAccumulation)
  const most = Math.min(current.microBatch, largestWithMargin)
  const fitting = divisors(dividend).filter(divisor => divisor <= most)
  return { microBatch: fitting.at(-1) ?? 1, gradientAccumulation: 1 }
}

/** Idle memory is waste only when it could be used: below this speedup there is nothing to gain. */
export const WORTHWHILE_SPEEDUP = 1.05

export interface Advice {
  readonly recommended: BatchPlan
  /** The next step after `recommended`, if worthwhile: a larger effective batch. */
  readonly beyond?: BatchPlan
}

export function advise(situation: Situation): Advice {
  const recommended = recommend(situation)
  const next = recommend({ ...situation, current: recommended })
  const speedup = situation.samplesPerSecond(next) / situation.samplesPerSecond(recommended)
  const isWorthwhile = next.microBatch > recommended.microBatch && speedup >= WORTHWHILE_SPEEDUP
  return { recommended, ...(isWorthwhile && { beyond: next }) }
}

function smallestNearBest({ grid, largestWithMargin, samplesPerSecond }: Situation): number {
  const rate = (batch: number) => samplesPerSecond({ microBatch: batch, gradientAccumulation: 1 })
  const enough = rate(largestWithMargin) * (1 - THROUGHPUT_TOLERANCE)
  let low = 0
  let high = grid.indexOf(largestWithMargin)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (rate(grid.at(middle)) >= enough) high = middle
    else low = middle + 1
  }
  return grid.at(low)
}

/** The smallest divisor of the effective batch within tolerance of the fastest one. */
function keepingEffectiveBatch(situation: Situation, perGpu: number): BatchPlan {
  const plans = divisors(perGpu)
    .filter(divisor => divisor <= situation.largestWithMargin && (situation.bounds?.dividend ?? 0) % divisor === 0)
    .map(microBatch => ({ microBatch, gradientAccumulation: perGpu / microBatch }))
  const rates = plans.map(plan => situation.samplesPerSecond(plan))
  const enough = Math.max(...rates) * (1 - THROUGHPUT_TOLERANCE)
  return plans[rates.findIndex(rate => rate >= enough)] ?? { microBatch: 1, gradientAccumulation: perGpu }
}

/** Ascending. At most √n steps, and n ≤ 10^12 by the spec's caps. */
function divisors(n: number): number[] {
  const small: number[] = []
  for (let candidate = 1; candidate * candidate <= n; candidate++) if (n % candidate === 0) small.push(candidate)
  const large = small.map(divisor => n / divisor).filter(divisor => divisor * divisor !== n)
  return [...small, ...large.toReversed()]
}
