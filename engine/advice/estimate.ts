/** Estimates a changed config on a GPU: its peak, whether it fits, its throughput. */
import type { Calibration } from '../calibration/correction.ts'
import { knownOf } from '../calibration/known.ts'
import type { FootprintCache } from '../estimate/footprint-cache.ts'
import { throughputBand } from '../estimate/throughput/throughput-band.ts'
import type { Gpu } from '../gpus/catalogue.ts'
import { type MemoryBand, marginFor, type Range } from '../metrics/range.ts'
import { type BatchPlan, smallestAsFast } from '../metrics/recommend.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { EstimateProbe } from '../probes/estimate.ts'
import type { LeverFit } from '../report/advised-levers.ts'
import { generatesCompletions } from '../training/batches.ts'
import type { TrainingSpec } from '../training/spec.ts'

export interface OnGpu {
  readonly gpu: Gpu
  readonly config: ModelConfig
  readonly footprints: FootprintCache
  readonly calibration?: Calibration
}

export interface Estimated {
  readonly peakBytes: number
  readonly errorBand: MemoryBand
  readonly fit: LeverFit
  /** Undefined if unknown, or if training steps are only part of the run's time. */
  readonly samplesPerSecond: number | undefined
  /** 90 % interval of a ratio of two such throughputs, as factors. */
  readonly ratioBand: Range
}

export function estimated(spec: TrainingSpec, { gpu, config, footprints, calibration }: OnGpu): Estimated {
  const { memoryFactor, speedFactor, memoryBand } = knownOf(spec, config, gpu, calibration)
  const { microBatch, gradientAccumulation } = spec
  const probed = () => new EstimateProbe(footprints.of(spec, config, gpu), gpu, memoryFactor)
  let samplesPerSecond: number | undefined
  return {
    ...memoryOf(probed(), microBatch, memoryBand),
    // Modelled where it is told alone: most combinations are not asked for it. Hundreds of them are held until then, and none
    // holds its footprint.
    get samplesPerSecond() {
      if (generatesCompletions(spec)) return undefined
      const modelled = samplesPerSecond ?? probed().samplesPerSecond(microBatch, gradientAccumulation)
      samplesPerSecond = modelled
      return modelled === undefined ? undefined : modelled * speedFactor
    },
    ratioBand: throughputBand(spec, config, gpu).ratio,
  }
}

function memoryOf(
  probe: EstimateProbe,
  microBatch: number,
  { lowPercent, highPercent }: MemoryBand,
): Pick<Estimated, 'peakBytes' | 'errorBand' | 'fit'> {
  const isSure = probe.fits(microBatch, marginFor({ lowPercent, highPercent }))
  return {
    peakBytes: probe.peakBytes(microBatch),
    errorBand: { lowPercent, highPercent },
    fit: isSure ? 'fits' : probe.fits(microBatch) ? 'may-fit' : 'does-not-fit',
  }
}

/** The largest micro-batch up to `most` that fits throughout the error band with the same effective batch. */
export function largestPlan(spec: TrainingSpec, most: number, on: OnGpu): BatchPlan | undefined {
  return fittingPlans(spec, most, on).at(-1)
}

/** The smallest micro-batch up to `most` that is as fast as the largest that fits, as a config's recommendation is chosen. */
export function recommendedPlan(spec: TrainingSpec, most: number, on: OnGpu): BatchPlan | undefined {
  return smallestAsFast(fittingPlans(spec, most, on), plan => estimated({ ...spec, ...plan }, on).samplesPerSecond)
}

/** In ascending order, all with the same effective batch. */
function fittingPlans(spec: TrainingSpec, most: number, on: OnGpu): readonly BatchPlan[] {
  const plans = plansOf(spec).filter(({ microBatch }) => microBatch <= most)
  let [low, high] = [0, plans.length]
  // A size fits if a larger one does.
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const plan = plans[middle]
    if (plan !== undefined && estimated({ ...spec, ...plan }, on).fit === 'fits') low = middle + 1
    else high = middle
  }
  return plans.slice(0, low)
}

/** All micro-batches with accumulation that keep the effective batch, in ascending order. */
export function plansOf({ microBatch, gradientAccumulation }: TrainingSpec): readonly BatchPlan[] {
  const samples = microBatch * gradientAccumulation
  const small = Array.from({ length: Math.min(Math.floor(Math.sqrt(samples)), MAX_DIVISOR) }, (_, index) => index + 1)
  const divisors = small.filter(size => samples % size === 0).flatMap(size => [size, samples / size])
  return [...new Set(divisors)]
    .toSorted((a, b) => a - b)
    .map(size => ({ microBatch: size, gradientAccumulation: samples / size }))
}

const MAX_DIVISOR = 10_000
