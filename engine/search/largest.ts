/** The largest batch on the grid, found with the help of a probe's own prediction. */
import type { EstimateProbe } from '../probes/estimate.ts'
import { findLargest } from './boundary.ts'
import type { Grid } from './grid.ts'

/** The largest batch on the grid that leaves `margin` (a share of usable memory) free; undefined when none does. `known`: one that does. */
export function largestBatch(probe: EstimateProbe, grid: Grid, margin = 0, known = 0): number | undefined {
  const predicted = grid.indexOf(predictedBoundary(probe, probe.usableBytes * (1 - margin)))
  return findLargest(grid, predicted, batch => probe.fits(batch, margin), grid.indexOf(known))
}

/** The same by its bytes in use alone, which the allocator's fragments come on top of: nothing is replayed. */
export function largestInUse(probe: EstimateProbe, grid: Grid): number | undefined {
  const predicted = grid.indexOf(predictedBoundary(probe, probe.usableBytes))
  return findLargest(grid, predicted, batch => probe.mayFit(batch, 0))
}

/** Peaks are piecewise affine in the batch: two secant steps land on the boundary's own piece. */
function predictedBoundary(probe: EstimateProbe, limitBytes: number): number {
  let [low, high] = [8, 64]
  for (let step = 0; step < 2; step++) {
    const [lowBytes, highBytes] = [probe.peakBytes(low), probe.peakBytes(high)]
    const bytesPerSample = Math.max(1, (highBytes - lowBytes) / (high - low))
    const crossing = Math.max(1, low + (limitBytes - lowBytes) / bytesPerSample)
    ;[low, high] = [crossing, crossing * 1.1 + 1]
  }
  return low
}
