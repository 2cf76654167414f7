/**
 * The largest micro-batch, with the accumulation that keeps the samples of a step, that an arrangement has room for.
 */
import { divisors } from '../metrics/divisors.ts'
import type { BatchPlan } from '../metrics/recommend.ts'

/**
 * `fits` is asked about few sizes: what fits, fits with fewer samples too. Without accumulation no earlier gradients
 * are held, so that the whole step as one micro-batch may fit where half of it does not.
 */
export function largestPlan(perGpu: number, fits: (plan: BatchPlan) => boolean): BatchPlan | undefined {
  const whole = { microBatch: perGpu, gradientAccumulation: 1 }
  if (fits(whole)) return whole
  const accumulating = divisors(perGpu)
    .slice(0, -1)
    .map(microBatch => ({ microBatch, gradientAccumulation: perGpu / microBatch }))
  let [low, high] = [0, accumulating.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const plan = accumulating[middle]
    if (plan !== undefined && fits(plan)) low = middle + 1
    else high = middle
  }
  return accumulating[low - 1]
}
