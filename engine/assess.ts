/** One training spec on one GPU, assessed: peak, largest and recommended batch, cost, lever, cheaper GPU, verdict. */
import { effectiveBatch, type TrainingSpec } from './config/spec.ts'
import type { Footprint } from './estimate/footprint.ts'
import type { Footprints } from './estimate/footprints.ts'
import { type Gpu, gpus, usableBytes } from './gpus/catalogue.ts'
import { type BatchPlan, DEFAULT_MARGIN, recommend } from './metrics/recommend.ts'
import type { ModelConfig } from './models/architecture.ts'
import { EstimateProbe } from './probes/estimate.ts'
import { bestLever } from './report/lever.ts'
import type { AnalysedConfig, OperatingPoint, ReportedGpu, Trial } from './report/schema.ts'
import { Grid } from './search/grid.ts'
import { largestBatch } from './search/largest.ts'
import { judge } from './verdict/judge.ts'
import type { Policy } from './verdict/policy.ts'

/** Everything about a config but where it stands. */
export type Assessment = Omit<
  AnalysedConfig,
  'status' | 'path' | 'dialect' | 'batchSizeAt' | 'gradientAccumulationAt' | 'assumptions'
>

export interface AssessmentOptions {
  readonly gpu: Gpu
  readonly policy: Policy
  /** What earlier assessments left to be used again. */
  readonly footprints: Footprints
  /** Wall-clock hours of a run at the current batch. */
  readonly hoursPerRun: number
  readonly runsPerYear: number
}

/**
 * Half-width of the band around an estimate, in percent of the peak. `npm run bench:accuracy` fails when PyTorch's trace or a
 * published GPU reading of the models lies outside it.
 */
export const ESTIMATE_BAND_PERCENT = 3

/** A cheaper GPU is worth a word when a run on it costs at most this share. */
const WORTHWHILE_COST_SHARE = 0.9

export function assess(spec: TrainingSpec, config: ModelConfig, options: AssessmentOptions): Assessment {
  const { gpu, policy, footprints, hoursPerRun, runsPerYear } = options
  const footprint = footprints.of(spec, config)
  const probe = new EstimateProbe(footprint, gpu)
  const grid = new Grid()
  const now: BatchPlan = { microBatch: spec.microBatch, gradientAccumulation: spec.gradientAccumulation }
  const costNow = hoursPerRun * gpu.pricePerHourUsd * spec.gpus
  const rate = (plan: BatchPlan) => probe.samplesPerSecond(plan.microBatch, plan.gradientAccumulation)
  const point = (plan: BatchPlan): OperatingPoint => ({
    ...plan,
    effectiveBatch: effectiveBatch({ ...spec, ...plan }),
    fits: probe.fits(plan.microBatch),
    peakBytes: probe.peak(plan.microBatch).bytes,
    samplesPerSecond: rate(plan),
    costPerRunUsd: (costNow * rate(now)) / rate(plan),
  })
  const largest = largestBatch(probe, grid)
  const largestWithMargin = largestBatch(probe, grid, DEFAULT_MARGIN)
  const current = point(now)
  const recommended =
    largestWithMargin === undefined
      ? undefined
      : point(recommend({ current: now, grid, largestWithMargin, samplesPerSecond: rate }))
  const { breakdown, moment } = probe.peak(spec.microBatch)
  // A config that does not run has no speed to compare with.
  const speedup = current.fits && recommended ? recommended.samplesPerSecond / current.samplesPerSecond : 1
  const savingsPerRunUsd = costNow * (1 - 1 / speedup)
  const savingsPerYearUsd = savingsPerRunUsd * runsPerYear
  const lever = bestLever(spec, config, gpu, current.peakBytes, footprints)
  const rightSizing = cheaperGpu(spec, footprint, options, current, recommended ?? current)
  return {
    spec,
    gpu: reported(gpu),
    provenance: 'estimated',
    errorBandPercent: ESTIMATE_BAND_PERCENT,
    throughputProvenance: 'modelled',
    current,
    ...(recommended && { recommended }),
    ...(largest && { largest: point({ microBatch: largest, gradientAccumulation: 1 }) }),
    breakdown,
    peakMoment: moment,
    speedup,
    savingsPerRunUsd,
    savingsPerYearUsd,
    ...(lever && { lever }),
    ...(rightSizing && { rightSizing }),
    trials: trialsOf(probe, grid, [spec.microBatch, recommended?.microBatch, largest], largest),
    hoursPerRun,
    runsPerYear,
    verdict: judge(
      { fits: current.fits, usableBytes: probe.usableBytes, peakBytes: current.peakBytes, speedup, savingsPerYearUsd },
      policy,
    ),
  }
}

/** The sizes that the report shows: those it speaks of, powers of two up to the largest, and the first that does not fit. */
function trialsOf(
  probe: EstimateProbe,
  grid: Grid,
  named: readonly (number | undefined)[],
  largest: number | undefined,
): Trial[] {
  const tooLarge = largest === undefined ? 1 : grid.at(grid.indexOf(largest) + 1)
  const told = new Set([...named.filter(size => size !== undefined), tooLarge])
  const powers = Array.from({ length: 20 }, (_, exponent) => 2 ** exponent)
  const between = powers.filter(power => power < tooLarge && !told.has(power))
  const trials = [...[...told].map(size => probe.trial(size)), ...between.map(size => probe.trialBelow(size))]
  return trials.toSorted((a, b) => a.microBatch - b.microBatch)
}

/** The GPU on which a run of the current config costs least, if that is cheaper than this one's recommendation. */
function cheaperGpu(
  spec: TrainingSpec,
  footprint: Footprint,
  { gpu, hoursPerRun }: AssessmentOptions,
  current: OperatingPoint,
  best: OperatingPoint,
): AnalysedConfig['rightSizing'] {
  const offers = gpus
    .filter(other => other.pricePerHourUsd < gpu.pricePerHourUsd && runs(other, spec))
    .map(other => ({ other, probe: new EstimateProbe(footprint, other) }))
    .filter(({ probe }) => probe.fits(spec.microBatch, DEFAULT_MARGIN))
    .map(({ other, probe }) => {
      const slowdown = current.samplesPerSecond / probe.samplesPerSecond(spec.microBatch, spec.gradientAccumulation)
      return { gpu: reported(other), costPerRunUsd: hoursPerRun * slowdown * other.pricePerHourUsd * spec.gpus }
    })
    .filter(offer => offer.costPerRunUsd <= best.costPerRunUsd * WORTHWHILE_COST_SHARE)
  return offers.toSorted((a, b) => a.costPerRunUsd - b.costPerRunUsd)[0]
}

function runs(gpu: Gpu, spec: TrainingSpec): boolean {
  return gpu.peakFlops.bf16 !== undefined || !spec.precision.endsWith('bf16')
}

function reported(gpu: Gpu): ReportedGpu {
  const { id, name, totalBytes, pricePerHourUsd, priceSource, priceDate } = gpu
  return { id, name, totalBytes, usableBytes: usableBytes(gpu), pricePerHourUsd, priceSource, priceDate }
}
