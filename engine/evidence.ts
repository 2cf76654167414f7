/** What is known of a training's memory and speed on a GPU, and how: here by estimates alone. */
import { MemoryMarkError } from './base/errors.ts'
import type { Calibration, Corrections } from './calibration/correction.ts'
import { knownOf } from './calibration/known.ts'
import { errorBand } from './estimate/error-band.ts'
import type { FootprintCache } from './estimate/footprint-cache.ts'
import { throughputBand } from './estimate/throughput/throughput-band.ts'
import { type Gpu, hasSpeed } from './gpus/catalogue.ts'
import { type MemoryBand, marginFor, type Range } from './metrics/range.ts'
import { type Advice, advise, adviseForMemory, type BatchPlan, DEFAULT_MARGIN } from './metrics/recommend.ts'
import type { ModelConfig } from './models/architecture.ts'
import { EstimateProbes } from './probes/estimate.ts'
import { reportedGpu } from './report/other-gpus.ts'
import type { AnalysedConfig, Provenance, ReportedGpu, Trial } from './report/schema.ts'
import { EstimatedSizes } from './search/estimated-sizes.ts'
import { Grid } from './search/grid.ts'
import { powersOfTwo } from './search/powers-of-two.ts'
import { accumulatesGradients, batchBounds } from './training/batches.ts'
import type { TrainingSpec } from './training/spec.ts'

/** What estimates start from. */
export interface EstimateOptions {
  readonly gpu: Gpu
  /** Reused across assessments. */
  readonly footprints: FootprintCache
  /** The team's own measured runs; none by default. */
  readonly calibration?: Calibration
  /** Distance between the batch sizes that are considered. */
  readonly stepSize?: number
  /** Share of usable memory that a recommendation leaves free. */
  readonly margin?: number
}

/** What is known about a spec's memory and speed on a GPU, and how it is known. */
export interface Evidence {
  readonly gpu: ReportedGpu
  readonly provenance: Provenance
  readonly errorBand: MemoryBand
  readonly throughputProvenance: AnalysedConfig['throughputProvenance']
  /** Present only if the throughput was measured. */
  readonly throughputBandPercent?: number
  /** Interval in which a ratio of two throughputs lies, as factors of that ratio. */
  readonly ratioBand: Range
  /** Interval in which a modelled throughput lies, as factors of it. */
  readonly speedBand?: Range
  /** Corrections by the team's own runs, already applied to the figures. */
  readonly corrections?: Corrections | undefined
  /** The largest micro-batch that fits without gradient accumulation; undefined if not even one sample fits. */
  readonly largest: number | undefined
  readonly advice: Advice | undefined
  readonly trials: readonly Trial[]
  readonly fits: (plan: BatchPlan) => boolean
  /** Whether it does wherever in the error band the peak lies; undefined if that was measured. */
  readonly fitsThroughout?: (plan: BatchPlan) => boolean
  readonly peakBytes: (plan: BatchPlan) => number
  /** What the caching allocator reserves; undefined if unknown. */
  readonly reservedBytes?: (plan: BatchPlan) => number | undefined
  /** Undefined if unknown. */
  readonly samplesPerSecond: (plan: BatchPlan) => number | undefined
}

/**
 * Of a batch whose bytes in use alone take more than so many of the GPU's memory, fragments say nothing more, and replaying the allocator
 * without a limit takes longer than all else.
 */
const FAR_TOO_LARGE = 2

/** @throws MemoryMarkError for a framework other than PyTorch. */
export function estimatedEvidence(spec: TrainingSpec, config: ModelConfig, options: EstimateOptions): Evidence {
  if (spec.framework !== 'pytorch') throw notEstimated(spec)
  const { gpu, footprints, stepSize, calibration, margin = DEFAULT_MARGIN } = options
  const {
    memoryBand: band,
    memoryFactor,
    speedFactor,
    speedBand,
    corrections,
  } = knownOf(spec, config, gpu, calibration)
  const probes = new EstimateProbes(spec, config, gpu, footprints, memoryFactor)
  // The step without accumulation is a part of it, if it is there first.
  if (accumulatesGradients(spec)) probes.of(true)
  const grid = new Grid(stepSize)
  const current = planOf(spec)
  const terms = { grid, own: spec.microBatch, margin, safety: marginFor(band) }
  const accumulating = new EstimatedSizes(() => probes.of(true), terms)
  const alone = new EstimatedSizes(() => probes.of(false), terms, accumulating)
  const sizesOf = (plan: BatchPlan) => (accumulatesGradients(spec, plan) ? accumulating : alone)
  const samplesPerSecond = (plan: BatchPlan) => {
    const modelled = sizesOf(plan).probe.samplesPerSecond(plan.microBatch, plan.gradientAccumulation)
    return modelled === undefined ? undefined : modelled * speedFactor
  }
  const situation = {
    current,
    bounds: batchBounds(spec),
    grid,
    largestWithMargin: (isSeveral: boolean) =>
      sizesOf({ ...current, gradientAccumulation: isSeveral ? 2 : 1 }).largestWithMargin || undefined,
  }
  const advice = hasSpeed(gpu)
    ? advise({ ...situation, samplesPerSecond: plan => samplesPerSecond(plan) ?? 1 })
    : adviseForMemory(situation)
  const largest = alone.largest || undefined
  return {
    gpu: { ...reportedGpu(gpu), usableBytes: alone.probe.usableBytes },
    provenance: 'estimated',
    errorBand: band,
    throughputProvenance: hasSpeed(gpu) ? 'modelled' : 'unknown',
    ratioBand: throughputBand(spec, config, gpu).ratio,
    speedBand,
    corrections,
    largest,
    advice,
    trials: trialsOf(sizesOf, [current, ...(advice ? [advice.recommended] : [])], alone),
    fits: plan => sizesOf(plan).fits(plan.microBatch),
    fitsThroughout: plan => sizesOf(plan).fitsThroughout(plan.microBatch),
    peakBytes: plan => sizesOf(plan).probe.peakBytes(plan.microBatch),
    reservedBytes: plan => {
      const { probe } = sizesOf(plan)
      const isFarTooLarge = probe.peakBytes(plan.microBatch) > FAR_TOO_LARGE * probe.usableBytes
      return isFarTooLarge ? undefined : probe.reservedBytes(plan.microBatch)
    },
    samplesPerSecond,
  }
}

export function planOf({ microBatch, gradientAccumulation }: TrainingSpec): BatchPlan {
  return { microBatch, gradientAccumulation }
}

/** Interval in which the peak on a real GPU lies, in percent of the estimate. */
export function memoryBand(spec: TrainingSpec, config: ModelConfig): MemoryBand {
  const { lowPercent, highPercent } = errorBand(spec, config)
  return { lowPercent, highPercent }
}

/**
 * The sizes that the report shows: those it mentions, powers of two up to the largest, and the first that does not fit;
 * the plans in `named` also with their gradient accumulation.
 */
function trialsOf(
  sizesOf: (plan: BatchPlan) => EstimatedSizes,
  named: readonly BatchPlan[],
  { largest, firstTooLarge }: EstimatedSizes,
): Trial[] {
  const alone = (microBatch: number): BatchPlan => ({ microBatch, gradientAccumulation: 1 })
  const ofPlans = named.map(({ microBatch }) => microBatch)
  const below = [...powersOfTwo(largest), ...ofPlans.filter(size => size <= largest)]
  const others = [...ofPlans.filter(size => size > largest), largest, firstTooLarge]
  const trials = [
    ...below.map(size => sizesOf(alone(size)).probe.trialBelow(size)),
    ...[...others.filter(size => size > 0).map(alone), ...named].map(plan => sizesOf(plan).trial(plan.microBatch)),
  ]
  const once = new Map(trials.map(trial => [`${trial.microBatch} ${trial.accumulates}`, trial]))
  return [...once.values()].toSorted((a, b) => a.microBatch - b.microBatch)
}

/** The same model takes almost ten times the memory in TensorFlow.js, so the estimate of PyTorch does not apply. */
function notEstimated({ framework }: TrainingSpec): MemoryMarkError {
  return new MemoryMarkError({
    code: 'framework-not-estimated',
    field: 'framework',
    message: `training steps in ${framework} can only be run, not estimated`,
    fix: 'Run `memorymark sweep`, which finds the largest batch by running them.',
  })
}
