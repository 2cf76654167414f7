/** A search strategy is pure: it sees the sizes tried so far and says the next one, or that the boundary is known. */
import { isBroken, peakOf, type Trial } from '../probes/trial.ts'
import { type Bounds, type Move, nextMove } from './boundary.ts'
import { corrected } from './corrected.ts'
import type { Grid } from './grid.ts'

export const strategyNames = ['predict-verify', 'bisect', 'linear'] as const
export type StrategyName = (typeof strategyNames)[number]

/** A size that is known to fit or not. It need not be on the grid. */
export interface Tried {
  readonly microBatch: number
  readonly fits: boolean
  /** The step's peak, if the probe knows it. */
  readonly peakBytes?: number | undefined
}

/** A memory model's prediction. */
export interface Prediction {
  /** The grid's index of the largest size that should fit; −1 when none should. */
  readonly largest: number
  readonly peakBytes: (microBatch: number) => number
  /** What the device can hold: a peak clearly above it needs no trial. */
  readonly usableBytes: number
}

export interface SearchSpace {
  readonly grid: Grid
  readonly prediction: Prediction
}

export type Strategy = (tried: readonly Tried[], space: SearchSpace) => Move

/**
 * A predicted peak this far above usable memory counts as out of memory without a trial. It is more than measured peaks deviate
 * from a prediction that was corrected by other sizes of the same sweep.
 */
const CERTAINLY_TOO_MUCH = 1.01

/** After this many trials, a prediction that is still unconfirmed is abandoned. */
const PREDICTIONS = 5

export const strategies: Record<StrategyName, Strategy> = {
  'predict-verify': predictVerify,
  bisect: (tried, { grid }) => nextMove(boundsOf(tried, grid), grid, 0),
  linear,
}

/**
 * What a trial says about a micro-batch without gradient accumulation: nothing if it failed or timed out. A size that
 * fits with accumulation fits without, with an unknown peak.
 */
export function triedOf({ microBatch, accumulates, outcome }: Trial): Tried[] {
  if (isBroken(outcome)) return []
  const fits = outcome.kind === 'fits'
  if (accumulates) return fits ? [{ microBatch, fits }] : []
  return [{ microBatch, fits, peakBytes: peakOf(outcome) }]
}

/** Bounds below the smallest size that does not fit: a larger one that fitted did so by luck. */
function boundsOf(tried: readonly Tried[], grid: Grid): Bounds {
  const failing = tried.filter(({ fits }) => !fits).map(({ microBatch }) => grid.firstNotBelow(microBatch))
  const fails = Math.min(grid.length, ...failing)
  const fitting = tried.filter(({ fits }) => fits).map(({ microBatch }) => grid.indexOf(microBatch))
  return { fits: Math.max(-1, ...fitting.filter(index => index < fails)), fails }
}

/** From the step upwards, as the earlier tool did; the sizes below it only when the step itself does not fit. */
function linear(tried: readonly Tried[], { grid }: SearchSpace): Move {
  const onGrid = tried.filter(({ microBatch }) => grid.at(grid.indexOf(microBatch)) === microBatch)
  const { fits, fails } = boundsOf(onGrid, grid)
  if (fails - fits === 1) return { kind: 'done', largest: fits }
  if (fails < grid.length) return { kind: 'try', index: fails - 1 }
  return { kind: 'try', index: fits === -1 ? grid.firstStep : fits + 1 }
}

/** Tries the predicted size, corrects the prediction with every measured peak, and stops when the boundary is certain. */
function predictVerify(tried: readonly Tried[], { grid, prediction }: SearchSpace): Move {
  const bounds = boundsOf(tried, grid)
  const { fits, fails } = bounds
  if (fails - fits === 1) return { kind: 'done', largest: fits }
  const correction = corrected(
    tried.flatMap(({ microBatch, peakBytes }) =>
      peakBytes === undefined ? [] : [{ predictedBytes: prediction.peakBytes(microBatch), peakBytes }],
    ),
  )
  const correct = (microBatch: number) => correction(prediction.peakBytes(microBatch))
  const nextIsTooMuch = fits >= 0 && correct(grid.at(fits + 1)) > prediction.usableBytes * CERTAINLY_TOO_MUCH
  if (nextIsTooMuch && hasPeak(tried, grid, fits)) return { kind: 'done', largest: fits }
  if (tried.length >= PREDICTIONS) return { kind: 'try', index: halving(bounds, grid) }
  const predicted = correctedLargest(correct, grid, prediction)
  if (fits < predicted && predicted < fails) return { kind: 'try', index: predicted }
  const index = gallop(bounds, grid, tried, predicted)
  // Do not skip the next size for one that the corrected curve puts above usable memory.
  const leapsTooFar = index > fits + 1 && predicted <= fits && correct(grid.at(index)) > prediction.usableBytes
  return { kind: 'try', index: leapsTooFar ? fits + 1 : index }
}

/** Gallops away from a known size in the direction of the prediction: one index first, then twice as far each time. */
function gallop({ fits, fails }: Bounds, grid: Grid, tried: readonly Tried[], predicted: number): number {
  const places = tried.map(({ microBatch }) => grid.indexOf(microBatch))
  const index =
    predicted <= fits
      ? fits + 1 + (fits - Math.min(fits, ...places.filter(place => place >= predicted && place >= 0)))
      : fails - 1 - (Math.max(fails, ...places.filter(place => place <= predicted)) - fails)
  return fits < index && index < fails ? index : halving({ fits, fails }, grid)
}

/** The middle between what fits and what does not; twice what fits while nothing failed. */
function halving({ fits, fails }: Bounds, grid: Grid): number {
  return fails === grid.length ? Math.min(2 * fits + 2, grid.length - 1) : Math.floor((fits + fails) / 2)
}

function hasPeak(tried: readonly Tried[], grid: Grid, index: number): boolean {
  return tried.some(({ microBatch, peakBytes }) => peakBytes !== undefined && grid.indexOf(microBatch) === index)
}

/**
 * Where the corrected curve crosses the limit. According to the prediction, the limit including fragmentation lies between the
 * peaks of its own largest size and the next.
 */
function correctedLargest(correct: (microBatch: number) => number, grid: Grid, prediction: Prediction): number {
  const { largest, peakBytes } = prediction
  const below = largest < 0 ? 0 : peakBytes(grid.at(largest))
  const limit = (below + peakBytes(grid.at(Math.min(largest + 1, grid.length - 1)))) / 2
  let [low, high] = [-1, grid.length]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (correct(grid.at(middle)) <= limit) low = middle
    else high = middle
  }
  return low
}
