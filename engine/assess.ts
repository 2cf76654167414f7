/** Assesses one training spec on one GPU: peak, largest and recommended batch, cost, cheaper GPU, verdict. */
import type { Calibration, Corrections } from './calibration/correction.ts'
import { knownOf } from './calibration/known.ts'
import {
  accumulatesGradients,
  batchBounds,
  effectiveBatch,
  generatesCompletions,
  isOfImages,
  type TrainingSpec,
} from './config/spec/spec.ts'
import { MemoryMarkError } from './errors.ts'
import { errorBand, leftOutOf } from './estimate/error-band.ts'
import type { FootprintCache } from './estimate/footprint-cache.ts'
import { throughputBand } from './estimate/throughput/throughput-band.ts'
import { type Gpu, hasSpeed } from './gpus/catalogue.ts'
import { costPerRunUsd, type RunTerms, savingsPerRunUsd } from './metrics/cost.ts'
import { halfWidthPercent, type MemoryBand, marginFor, type Range } from './metrics/range.ts'
import { type Advice, advise, adviseForMemory, type BatchPlan, DEFAULT_MARGIN } from './metrics/recommend.ts'
import type { ModelConfig } from './models/architecture.ts'
import { fitsAmongSeveral } from './probes/among-several.ts'
import { EstimateProbe, EstimateProbes } from './probes/estimate.ts'
import { cardFits, cheaperGpu, reportedGpu } from './report/other-gpus.ts'
import { ratioRange } from './report/ranges.ts'
import { runPeaks } from './report/run-peaks.ts'
import type {
  AnalysedConfig,
  AssumedCircumstance,
  Breakdown,
  OperatingPoint,
  Provenance,
  ReportedGpu,
  ThroughputPoint,
  Trial,
} from './report/schema.ts'
import { figuresOf } from './report/standing.ts'
import { EstimatedSizes } from './search/estimated-sizes.ts'
import { Grid } from './search/grid.ts'
import { powersOfTwo } from './search/powers-of-two.ts'
import { judge } from './verdict/judge.ts'
import type { Policy } from './verdict/policy.ts'

/** An analysed config without its path and what reading it found. */
export type Assessment = Omit<
  AnalysedConfig,
  | 'status'
  | 'path'
  | 'dialect'
  | 'batchSizeAt'
  | 'gradientAccumulationAt'
  | 'evaluationBatchSizeAt'
  | 'assumptions'
  | 'unreadSettings'
>

export interface AssessmentOptions {
  readonly gpu: Gpu
  readonly policy: Policy
  /** Reused across assessments. */
  readonly footprints: FootprintCache
  /** The team's own measured runs; none by default. */
  readonly calibration?: Calibration
  /** What the config does not say and was assumed; nothing by default. */
  readonly assumed?: readonly AssumedCircumstance[]
  /** Wall-clock hours of a run at the current batch. */
  readonly hoursPerRun: number
  readonly runsPerYear: number
  /** GPUs compared to find a cheaper one, with their prices; the catalogue by default. */
  readonly catalogue?: readonly Gpu[]
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
 * Without `evidence`, everything is estimated. The breakdown and the cheaper GPU are estimated in any case. @throws
 * MemoryMarkError without `evidence` for a framework other than PyTorch.
 */
export function assess(
  spec: TrainingSpec,
  config: ModelConfig,
  options: AssessmentOptions,
  evidence: Evidence = estimatedEvidence(spec, config, options),
): Assessment {
  const { gpu, policy, footprints, hoursPerRun, runsPerYear } = options
  const assumed = decisive(spec, config, options, evidence)
  const { samplesPerSecond: rate, largest, throughputBandPercent, corrections } = evidence
  const speedBand = evidence.throughputProvenance === 'modelled' ? evidence.speedBand : undefined
  const now = planOf(spec)
  const terms: RunTerms = { hoursPerRun, pricePerHourUsd: gpu.pricePerHourUsd, gpus: spec.gpus }
  // In a run that generates completions, training steps are only part of the time, and that share is not modelled.
  const speedupOf = (plan: BatchPlan) => (generatesCompletions(spec) ? 1 : ratioOf(rate(plan), rate(now)))
  // A config that does not fit has no speed to compare with.
  const speedup = evidence.fits(now) && evidence.advice ? speedupOf(evidence.advice.recommended) : 1
  const ratioBand = mayWaitForImages(spec, evidence) ? downToNoGain(evidence.ratioBand, speedup) : evidence.ratioBand
  const ratios = { ratioBand, throughputBandPercent }
  const point = (plan: BatchPlan): OperatingPoint => {
    const fits = evidence.fits(plan)
    const reservedBytes = evidence.reservedBytes?.(plan)
    const samplesPerSecond = rate(plan)
    const relative = ratioRange(speedupOf(plan), ratios)
    return {
      ...plan,
      effectiveBatch: effectiveBatch({ ...spec, ...plan }),
      fits,
      ...(fits && evidence.fitsThroughout?.(plan) === false && { mayNotFit: true as const }),
      peakBytes: evidence.peakBytes(plan),
      ...(reservedBytes !== undefined && { reservedBytes }),
      ...(samplesPerSecond !== undefined && { samplesPerSecond }),
      ...(samplesPerSecond !== undefined && speedBand && { samplesPerSecondRange: times(samplesPerSecond, speedBand) }),
      costPerRunUsd: costPerRunUsd(terms, speedupOf(plan)),
      ...(relative.low < relative.high && {
        costPerRunRangeUsd: { low: costPerRunUsd(terms, relative.high), high: costPerRunUsd(terms, relative.low) },
      }),
    }
  }
  const current = point(now)
  const recommended = evidence.advice && point(evidence.advice.recommended)
  const modelled = new EstimateProbe(footprints.of(spec, config, gpu), gpu).peak(spec.microBatch)
  const { breakdown, moment } = modelled
  const correction = current.peakBytes / modelled.bytes
  const speedupRange = ratioRange(speedup, ratios)
  const savedPerRunUsd = savingsPerRunUsd(terms, speedup)
  const savedRangeUsd = {
    low: savingsPerRunUsd(terms, speedupRange.low),
    high: savingsPerRunUsd(terms, speedupRange.high),
  }
  const savingsPerYearUsd = savedPerRunUsd * runsPerYear
  const isPriced = !generatesCompletions(spec) && !assumed.includes('gpu') && gpu.priceCaveat !== 'not-given'
  const rightSizing = isPriced ? cheaperGpu(spec, config, options, recommended ?? current) : undefined
  const peaks = runPeaks(spec, config, {
    gpu,
    footprints,
    usableBytes: evidence.gpu.usableBytes,
    current,
    provenance: evidence.provenance,
    errorBand: evidence.provenance === 'measured' ? memoryBand(spec, config) : evidence.errorBand,
    memoryFactor: evidence.corrections?.memory?.factor ?? 1,
  })
  const leftOut = leftOutOf(spec, config)
  const assessment = {
    spec,
    gpu: evidence.gpu,
    provenance: evidence.provenance,
    errorBandPercent: halfWidthPercent(evidence.errorBand),
    errorBand: evidence.errorBand,
    throughputProvenance: evidence.throughputProvenance,
    ...(throughputBandPercent !== undefined && { throughputBandPercent }),
    current,
    ...(recommended && { recommended }),
    ...(largest && { largest: point({ microBatch: largest, gradientAccumulation: 1 }) }),
    ...(evidence.advice?.beyond && { beyond: point(evidence.advice.beyond) }),
    breakdown: scaled(breakdown, correction),
    peakMoment: moment,
    speedup,
    ratioBand,
    speedupRange,
    savingsPerRunRangeUsd: savedRangeUsd,
    savingsPerYearRangeUsd: times(runsPerYear, savedRangeUsd),
    ...(speedBand && { throughputBand: { ...speedBand } }),
    ...(corrections && { calibration: corrections }),
    savingsPerRunUsd: savedPerRunUsd,
    savingsPerYearUsd,
    ...(rightSizing && { rightSizing }),
    ...(peaks && { peaks: [...peaks] }),
    ...(leftOut !== undefined && { leftOut }),
    trials: [...evidence.trials],
    throughputCurve: throughputCurve(evidence),
    hoursPerRun,
    runsPerYear,
    ...(assumed.length > 0 && { assumed: [...assumed] }),
    ...(assumed.includes('gpu') && { cardFits: cardFits(spec, config, options) }),
  }
  return { ...assessment, verdict: judge(figuresOf(assessment), policy) }
}

function times(factor: number, { low, high }: Range): { low: number; high: number } {
  return { low: factor * low, high: factor * high }
}

/**
 * Steps are modelled, and measured, with their images on the GPU. How many a team's loader decodes in a second is not known, unless its
 * own runs have corrected the speed.
 */
function mayWaitForImages({ task }: TrainingSpec, { corrections }: Evidence): boolean {
  return isOfImages(task) && corrections?.speed === undefined
}

/** The band of ratios in which this one may be 1: where the loader sets the pace, a larger batch gains nothing. */
function downToNoGain({ low, high }: Range, ratio: number): Range {
  return { low: Math.min(low, 1 / Math.max(1, ratio)), high }
}

/** The ratio of two speeds; 1 if either is unknown, so that no gain is claimed. */
function ratioOf(speed: number | undefined, other: number | undefined): number {
  return speed === undefined || other === undefined ? 1 : speed / other
}

/**
 * The assumptions that the verdict depends on. Assuming one GPU does not matter if the config fits it, or would not fit
 * on several either; counting too much does not matter if the config fits all the same.
 */
function decisive(
  spec: TrainingSpec,
  config: ModelConfig,
  options: AssessmentOptions,
  { fits, provenance }: Evidence,
): readonly AssumedCircumstance[] {
  const { assumed = [] } = options
  const fitsNow = fits(planOf(spec))
  // A measurement settles the GPU and their number, but not whether the config was read as meant.
  const isMeasured = provenance === 'measured'
  const matters = (what: AssumedCircumstance) => {
    switch (what) {
      case 'gpu':
        return !isMeasured
      case 'gpus':
        return !isMeasured && (spec.gpus > 1 || (!fitsNow && fitsAmongSeveral(spec, config, options)))
      case 'upper-bound':
        return !fitsNow
      default:
        return true
    }
  }
  return assumed.filter(matters)
}

/** Interval in which the peak on a real GPU lies, in percent of the estimate. */
export function memoryBand(spec: TrainingSpec, config: ModelConfig): MemoryBand {
  const { lowPercent, highPercent } = errorBand(spec, config)
  return { lowPercent, highPercent }
}

/** If throughput was measured, only the timed sizes have one; if it is modelled, every size has. */
function throughputCurve(evidence: Evidence): ThroughputPoint[] {
  const { trials, provenance, throughputProvenance, samplesPerSecond, peakBytes, largest = 0 } = evidence
  const isModelled = throughputProvenance === 'modelled'
  const tried = trials.flatMap(({ microBatch, outcome }) =>
    outcome.kind === 'fits' && (isModelled || outcome.stepMillisSpread !== undefined) ? [microBatch] : [],
  )
  const sizes = isModelled ? [...tried, ...powersOfTwo(largest)] : tried
  return [...new Set(sizes)]
    .toSorted((a, b) => a - b)
    .flatMap(microBatch => {
      const plan = { microBatch, gradientAccumulation: 1 }
      const rate = samplesPerSecond(plan)
      const memory = provenance === 'estimated' ? { peakBytes: peakBytes(plan) } : {}
      return rate === undefined ? [] : [{ microBatch, samplesPerSecond: rate, ...memory }]
    })
}

function estimatedEvidence(spec: TrainingSpec, config: ModelConfig, options: AssessmentOptions): Evidence {
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
    reservedBytes: plan => sizesOf(plan).probe.reservedBytes(plan.microBatch),
    samplesPerSecond,
  }
}

export function planOf({ microBatch, gradientAccumulation }: TrainingSpec): BatchPlan {
  return { microBatch, gradientAccumulation }
}

/** Scales the parts, which add up to the estimated peak, so that they add up to a measured one. */
function scaled(breakdown: Breakdown, factor: number): Breakdown {
  const parts = Object.entries(breakdown).map(([kind, bytes]) => [kind, bytes * factor])
  return factor === 1 ? breakdown : Object.fromEntries(parts)
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
