/**
 * Finds the largest batch on the grid that fits. Pure policy: given the trials so far, it says which grid index to try
 * next, or that the boundary is known. Predict and verify; if the prediction was wrong, gallop and bisect from there.
 */
import type { Grid } from './grid.ts'

export interface Bounds {
  /** Grid index of the largest size known to fit; −1 when none is. */
  readonly fits: number
  /** Grid index of the smallest size known not to fit; the grid's length when none is. */
  readonly fails: number
}

export type Move =
  | { readonly kind: 'try'; readonly index: number }
  | { readonly kind: 'done'; readonly largest: number }

/** `predicted`: the grid index at which a model of the memory puts the boundary. */
export function nextMove({ fits, fails }: Bounds, grid: Grid, predicted: number): Move {
  if (fails - fits === 1) return { kind: 'done', largest: fits }
  const start = Math.min(Math.max(predicted, 0), grid.length - 1)
  if (fits < start && start < fails) return { kind: 'try', index: start }
  // Steps double with the distance from the prediction, until both sides are known.
  if (fails === grid.length) return { kind: 'try', index: Math.min(fits + (fits - start) + 1, grid.length - 1) }
  if (fits === -1) return { kind: 'try', index: Math.max(fails - (start - fails) - 1, 0) }
  return { kind: 'try', index: Math.floor((fits + fails) / 2) }
}

/**
 * Runs the policy against `tryBatch`; a trial is never repeated. Returns undefined when not even one sample fits. `known`: the grid index
 * of the largest size known to fit.
 */
export function findLargest(
  grid: Grid,
  predicted: number,
  tryBatch: (batch: number) => boolean,
  known = -1,
): number | undefined {
  let bounds: Bounds = { fits: known, fails: grid.length }
  for (;;) {
    const move = nextMove(bounds, grid, predicted)
    if (move.kind === 'done') return move.largest < 0 ? undefined : grid.at(move.largest)
    bounds = tryBatch(grid.at(move.index)) ? { ...bounds, fits: move.index } : { ...bounds, fails: move.index }
  }
}
