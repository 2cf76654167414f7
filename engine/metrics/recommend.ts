/** Chooses the batch to recommend. */
import type { Grid } from '../search/grid.ts'
import type { BatchBounds } from '../training/batches.ts'
import { divisors } from './divisors.ts'

/** Prefer a smaller batch if its throughput is within this share of the best. */
const THROUGHPUT_TOLERANCE = 0.02

/**
 * Prefer a round batch size if it loses no more than this share of throughput, which is within the error of any
 * throughput.
 */
const ROUND_TOLERANCE = 0.05

/** Share of usable memory that a recommendation leaves free. */
export const DEFAULT_MARGIN = 0.05

/**
 * The effective batch is kept unless that loses more than a tenth of the speed, as with a prime that has no useful
 * divisors.
 */
const KEEPING_WORTH = 0.9

export interface BatchPlan {
  readonly microBatch: number
  readonly gradientAccumulation: number
}

export function isSamePlan(one: BatchPlan, other: BatchPlan | undefined): boolean {
  return one.microBatch === other?.microBatch && one.gradientAccumulation === other.gradientAccumulation
}

interface Situation {
  readonly current: BatchPlan
  readonly grid: Grid
  /**
   * The largest size on the grid, or the current one, that fits with the margin; undefined if not even one sample does.
   * `isSeveral`: with gradient accumulation.
   */
  readonly largestWithMargin: (isSeveral: boolean) => number | undefined
  /** If set, the effective batch is kept as far as the tool's accumulation allows. */
  readonly bounds?: BatchBounds | undefined
  /** Never decreases with the batch: a larger one amortises fixed costs. */
  readonly samplesPerSecond: (plan: BatchPlan) => number
}

/** Keeps the current batch if it fits with the margin and the gain would be within the tolerances above. */
function recommend(situation: Situation): BatchPlan | undefined {
  const { current, samplesPerSecond } = situation
  const best = smallestFastPlan(situation)
  if (best === undefined || !isAllowed(situation, current)) return best
  const speedup = samplesPerSecond(best) / samplesPerSecond(current)
  const isWorthwhile =
    perGpuOf(best) === perGpuOf(current) ? speedup * (1 - ROUND_TOLERANCE) > 1 : speedup >= WORTHWHILE_SPEEDUP
  return isWorthwhile ? best : current
}

/** Samples per GPU in an optimizer step. */
function perGpuOf({ microBatch, gradientAccumulation }: BatchPlan): number {
  return microBatch * gradientAccumulation
}

/**
 * The smallest batch within 2 % of the best throughput among those that fit with the margin. Where the config accumulates
 * gradients, or has to shrink, the effective batch is kept if a divisor allows it: training stays the same.
 */
function smallestFastPlan(situation: Situation): BatchPlan | undefined {
  const { current, samplesPerSecond, bounds } = situation
  if (bounds !== undefined) return withinBounds(situation, bounds)
  const fastest = smallestNearBest(situation, false)
  if (fastest === undefined) return undefined
  const alone = { microBatch: fastest, gradientAccumulation: 1 }
  if (current.gradientAccumulation === 1) {
    if (fastest > current.microBatch) return alone
    // The same samples in several steps are no faster.
    if (isAllowed(situation, current)) return current
  }
  const perGpu = perGpuOf(current)
  const kept = keepingEffectiveBatch(situation, perGpu)
  // Where all of it fits at once, no divisor is missing.
  if (isAllowed(situation, { microBatch: perGpu, gradientAccumulation: 1 })) return kept
  const changed = nearEffectiveBatch(situation, perGpu, alone)
  return kept && samplesPerSecond(kept) >= KEEPING_WORTH * samplesPerSecond(changed) ? kept : changed
}

function withinBounds(situation: Situation, { dividend, accumulates }: BatchBounds): BatchPlan | undefined {
  const { current, largestWithMargin } = situation
  if (accumulates) return keepingEffectiveBatch(situation, perGpuOf(current))
  const most = Math.min(current.microBatch, largestWithMargin(false) ?? 0)
  const largest = divisors(dividend).findLast(divisor => divisor <= most)
  return largest === undefined ? undefined : { microBatch: largest, gradientAccumulation: 1 }
}

/** Idle memory is waste only when it could be used: below this speedup there is nothing to gain. */
export const WORTHWHILE_SPEEDUP = 1.05

export interface Advice {
  readonly recommended: BatchPlan
  /** The next step after `recommended`, if worthwhile: a larger effective batch. */
  readonly beyond?: BatchPlan
}

/** Undefined where nothing fits. */
export function advise(situation: Situation): Advice | undefined {
  const recommended = recommend(situation)
  const next = recommended && recommend({ ...situation, current: recommended })
  if (recommended === undefined || next === undefined) return undefined
  const speedup = situation.samplesPerSecond(next) / situation.samplesPerSecond(recommended)
  const isWorthwhile = next.microBatch > recommended.microBatch && speedup >= WORTHWHILE_SPEEDUP
  return { recommended, ...(isWorthwhile && { beyond: next }) }
}

/**
 * For an unknown throughput: keeps a batch that fits with the margin; else takes the largest micro-batch that fits,
 * with gradient accumulation as close to the effective batch as it divides.
 */
export function adviseForMemory(situation: Omit<Situation, 'samplesPerSecond'>): Advice | undefined {
  const larger = { ...situation, samplesPerSecond: ({ microBatch }: BatchPlan) => microBatch }
  const recommended = isAllowed(larger, situation.current) ? situation.current : largestPlan(larger)
  return recommended && { recommended }
}

/** Keeps the effective batch if that leaves at least half of the largest micro-batch that fits. */
function largestPlan(larger: Situation): BatchPlan | undefined {
  if (larger.bounds !== undefined) return withinBounds(larger, larger.bounds)
  const largest = smallestNearBest(larger, false)
  if (largest === undefined) return undefined
  const perGpu = perGpuOf(larger.current)
  const kept = keepingEffectiveBatch(larger, perGpu)
  const changed = nearEffectiveBatch(larger, perGpu, { microBatch: largest, gradientAccumulation: 1 })
  return kept && 2 * kept.microBatch >= changed.microBatch ? kept : changed
}

function smallestNearBest(
  { grid, largestWithMargin, samplesPerSecond }: Situation,
  isSeveral: boolean,
): number | undefined {
  const largest = largestWithMargin(isSeveral)
  if (largest === undefined) return undefined
  const rate = (batch: number) => samplesPerSecond({ microBatch: batch, gradientAccumulation: 1 })
  const enough = rate(largest) * (1 - THROUGHPUT_TOLERANCE)
  let low = 0
  let high = grid.indexOf(largest)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (rate(grid.at(middle)) >= enough) high = middle
    else low = middle + 1
  }
  const isFastEnough = (batch: number) => rate(batch) >= rate(largest) * (1 - ROUND_TOLERANCE)
  return roundNear(grid.at(low), largest, isFastEnough)
}

/** A round number near `size`: a power of two, else a multiple of 64 or of 8, if fast enough; else `size`. */
function roundNear(size: number, largest: number, isFastEnough: (batch: number) => boolean): number {
  const power = 2 ** Math.floor(Math.log2(size))
  if (isFastEnough(power)) return power
  if (2 * power <= largest) return 2 * power
  const multiples = [64, 8].map(step => Math.floor(size / step) * step).filter(multiple => multiple > 0)
  return multiples.find(isFastEnough) ?? size
}

/** The fastest micro-batch, with the accumulation closest to the effective batch; `alone` if none fits. */
function nearEffectiveBatch(situation: Situation, perGpu: number, alone: BatchPlan): BatchPlan {
  if (Math.round(perGpu / alone.microBatch) <= 1) return alone
  const microBatch = smallestNearBest(situation, true)
  return microBatch === undefined ? alone : { microBatch, gradientAccumulation: Math.round(perGpu / microBatch) }
}

/** The smallest divisor of the effective batch within tolerance of the fastest that fits. */
function keepingEffectiveBatch(situation: Situation, perGpu: number): BatchPlan | undefined {
  const plans = divisors(perGpu).map(microBatch => ({ microBatch, gradientAccumulation: perGpu / microBatch }))
  return smallestAsFast(
    plans.filter(plan => isAllowed(situation, plan)),
    situation.samplesPerSecond,
  )
}

/**
 * Of plans with the same effective batch in ascending order, the first within tolerance of the last one's throughput: it
 * needs the least memory. The last where a throughput is unknown; undefined where there is no plan.
 */
export function smallestAsFast(
  plans: readonly BatchPlan[],
  samplesPerSecond: (plan: BatchPlan) => number | undefined,
): BatchPlan | undefined {
  const last = plans.at(-1)
  const best = last && samplesPerSecond(last)
  if (best === undefined) return last
  return plans.find(plan => (samplesPerSecond(plan) ?? 0) >= best * (1 - THROUGHPUT_TOLERANCE))
}

/** Whether the plan fits with the margin and the tool can run it. */
function isAllowed({ largestWithMargin, bounds }: Situation, { microBatch, gradientAccumulation }: BatchPlan): boolean {
  const divides = (bounds?.dividend ?? 0) % microBatch === 0
  return divides && microBatch <= (largestWithMargin(gradientAccumulation > 1) ?? 0)
}
