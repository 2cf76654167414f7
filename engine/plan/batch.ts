/** The largest micro-batch that fits in an arrangement, with the accumulation that keeps the effective batch. */
import { divisors } from '../metrics/divisors.ts'
import type { BatchPlan } from '../metrics/recommend.ts'

/**
 * `fits` is called for few sizes, since a size fits if a larger one does. Without accumulation no earlier gradients are
 * held, so the whole step as one micro-batch may fit even if half of it does not.
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
