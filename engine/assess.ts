/** Assesses one training spec on one GPU: peak, largest and recommended batch, cost, cheaper GPU, verdict. */
import { leftOutOf } from './estimate/error-band.ts'
import { type EstimateOptions, type Evidence, estimatedEvidence, memoryBand, planOf } from './evidence.ts'
import type { Gpu } from './gpus/catalogue.ts'
import { costPerRunUsd, type RunTerms, savingsPerRunUsd } from './metrics/cost.ts'
import { halfWidthPercent, type Range } from './metrics/range.ts'
import type { BatchPlan } from './metrics/recommend.ts'
import type { ModelConfig } from './models/architecture.ts'
import { couldFitAmongSeveral } from './probes/among-several.ts'
import { EstimateProbe } from './probes/estimate.ts'
import { couldFitWithNewerTorch } from './probes/newer-torch.ts'
import { cardFits, cheaperGpu } from './report/other-gpus.ts'
import { ratioRange } from './report/ranges.ts'
import { runPeaks } from './report/run-peaks.ts'
import type {
  AnalysedConfig,
  AssumedCircumstance,
  Breakdown,
  OperatingPoint,
  ThroughputPoint,
} from './report/schema.ts'
import { figuresOf } from './report/standing.ts'
import { powersOfTwo } from './search/powers-of-two.ts'
import { effectiveBatch, generatesCompletions } from './training/batches.ts'
import { isOfImages } from './training/choices.ts'
import type { TrainingSpec } from './training/spec.ts'
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

export interface AssessmentOptions extends EstimateOptions {
  readonly policy: Policy
  /** What the config does not say and was assumed; nothing by default. */
  readonly assumed?: readonly AssumedCircumstance[]
  /** Wall-clock hours of a run at the current batch. */
  readonly hoursPerRun: number
  readonly runsPerYear: number
  /** GPUs compared to find a cheaper one, with their prices; the catalogue by default. */
  readonly catalogue?: readonly Gpu[]
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
  const { policy, hoursPerRun, runsPerYear } = options
  const { advice, largest, errorBand, speedBand, throughputBandPercent, corrections } = evidence
  const assumed = decisive(spec, config, options, evidence)
  const gains = gainsOf(spec, options, evidence)
  const point = (plan: BatchPlan) => operatingPoint(plan, spec, evidence, gains)
  const current = point(planOf(spec))
  const recommended = advice && point(advice.recommended)
  const rightSizing = isPriced(spec, options, assumed)
    ? cheaperGpu(spec, config, options, recommended ?? current)
    : undefined
  const assessment = {
    spec,
    gpu: evidence.gpu,
    provenance: evidence.provenance,
    errorBandPercent: halfWidthPercent(errorBand),
    errorBand,
    throughputProvenance: evidence.throughputProvenance,
    ...(throughputBandPercent !== undefined && { throughputBandPercent }),
    current,
    ...(recommended && { recommended }),
    ...(largest && { largest: point({ microBatch: largest, gradientAccumulation: 1 }) }),
    ...(advice?.beyond && { beyond: point(advice.beyond) }),
    ...memoryParts(spec, config, options, { evidence, current }),
    ...savings(gains, runsPerYear),
    ...(speedBand && isModelled(evidence) && { throughputBand: { ...speedBand } }),
    ...(corrections && { calibration: corrections }),
    ...(rightSizing && { rightSizing }),
    trials: [...evidence.trials],
    throughputCurve: throughputCurve(evidence),
    hoursPerRun,
    runsPerYear,
    ...(assumed.length > 0 && { assumed: [...assumed] }),
    ...(assumed.includes('gpu') && { cardFits: cardFits(spec, config, options) }),
  }
  return { ...assessment, verdict: judge(figuresOf(assessment), policy) }
}

function isModelled({ throughputProvenance }: Evidence): boolean {
  return throughputProvenance === 'modelled'
}

function isPriced(spec: TrainingSpec, { gpu }: AssessmentOptions, assumed: readonly AssumedCircumstance[]): boolean {
  return !generatesCompletions(spec) && !assumed.includes('gpu') && gpu.priceCaveat !== 'not-given'
}

/** How fast batches are beside the config's own, and what a run takes. */
interface Gains {
  readonly terms: RunTerms
  /** Of the recommended batch over the config's own. */
  readonly speedup: number
  /** Of another batch over the config's own. */
  readonly speedupOf: (plan: BatchPlan) => number
  readonly ratioBand: Range
  readonly rangeOf: (speedup: number) => Range
}

function gainsOf(spec: TrainingSpec, { gpu, hoursPerRun }: AssessmentOptions, evidence: Evidence): Gains {
  const { advice, fits, samplesPerSecond, throughputBandPercent } = evidence
  const now = planOf(spec)
  // In a run that generates completions, training steps are only part of the time, and that share is not modelled.
  const speedupOf = (plan: BatchPlan) =>
    generatesCompletions(spec) ? 1 : ratioOf(samplesPerSecond(plan), samplesPerSecond(now))
  // A config that does not fit has no speed to compare with.
  const speedup = fits(now) && advice ? speedupOf(advice.recommended) : 1
  const ratioBand = mayWaitForImages(spec, evidence) ? downToNoGain(evidence.ratioBand, speedup) : evidence.ratioBand
  return {
    terms: { hoursPerRun, pricePerHourUsd: gpu.pricePerHourUsd, gpus: spec.gpus },
    speedup,
    speedupOf,
    ratioBand,
    rangeOf: ratio => ratioRange(ratio, { ratioBand, throughputBandPercent }),
  }
}

function operatingPoint(plan: BatchPlan, spec: TrainingSpec, evidence: Evidence, gains: Gains): OperatingPoint {
  const { terms, speedupOf, rangeOf } = gains
  const fits = evidence.fits(plan)
  const reservedBytes = evidence.reservedBytes?.(plan)
  const samplesPerSecond = evidence.samplesPerSecond(plan)
  const speedBand = isModelled(evidence) ? evidence.speedBand : undefined
  const { low, high } = rangeOf(speedupOf(plan))
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
    ...(low < high && { costPerRunRangeUsd: { low: costPerRunUsd(terms, high), high: costPerRunUsd(terms, low) } }),
  }
}

function savings({ terms, speedup, ratioBand, rangeOf }: Gains, runsPerYear: number) {
  const speedupRange = rangeOf(speedup)
  const perRun = savingsPerRunUsd(terms, speedup)
  const range = {
    low: savingsPerRunUsd(terms, speedupRange.low),
    high: savingsPerRunUsd(terms, speedupRange.high),
  }
  return {
    speedup,
    ratioBand,
    speedupRange,
    savingsPerRunUsd: perRun,
    savingsPerRunRangeUsd: range,
    savingsPerYearUsd: perRun * runsPerYear,
    savingsPerYearRangeUsd: times(runsPerYear, range),
  }
}

/** What the current batch's memory is made of, when it is highest, and the other peaks of the run. */
function memoryParts(
  spec: TrainingSpec,
  config: ModelConfig,
  { gpu, footprints }: AssessmentOptions,
  { evidence, current }: { readonly evidence: Evidence; readonly current: OperatingPoint },
) {
  const { provenance, errorBand, corrections } = evidence
  const modelled = new EstimateProbe(footprints.of(spec, config, gpu), gpu).peak(spec.microBatch)
  const peaks = runPeaks(spec, config, {
    gpu,
    footprints,
    usableBytes: evidence.gpu.usableBytes,
    current,
    provenance,
    errorBand: provenance === 'measured' ? memoryBand(spec, config) : errorBand,
    memoryFactor: corrections?.memory?.factor ?? 1,
  })
  const leftOut = leftOutOf(spec, config)
  return {
    breakdown: scaled(modelled.breakdown, current.peakBytes / modelled.bytes),
    peakMoment: modelled.moment,
    ...(peaks && { peaks: [...peaks] }),
    ...(leftOut !== undefined && { leftOut }),
  }
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
 * The assumptions that the verdict depends on. Assuming one GPU does not matter if the config fits it, or could not fit
 * several either; counting too much does not matter if the config fits all the same.
 */
function decisive(
  spec: TrainingSpec,
  config: ModelConfig,
  options: AssessmentOptions,
  { fits, provenance }: Evidence,
): readonly AssumedCircumstance[] {
  const fitsNow = fits(planOf(spec))
  // A measurement settles the GPU and their number, but not whether the config was read as meant.
  const isMeasured = provenance === 'measured'
  const isTooMuch = !isMeasured && !fitsNow && couldFitWithNewerTorch(spec, config, options)
  const assumed = [...new Set([...(options.assumed ?? []), ...(isTooMuch ? (['upper-bound'] as const) : [])])]
  const matters = (what: AssumedCircumstance) => {
    switch (what) {
      case 'gpu':
        return !isMeasured
      case 'gpus':
        return !isMeasured && (spec.gpus > 1 || (!fitsNow && couldFitAmongSeveral(spec, config, options)))
      case 'upper-bound':
        return !fitsNow
      default:
        return true
    }
  }
  return assumed.filter(matters)
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

/** Scales the parts, which add up to the estimated peak, so that they add up to a measured one. */
function scaled(breakdown: Breakdown, factor: number): Breakdown {
  const parts = Object.entries(breakdown).map(([kind, bytes]) => [kind, bytes * factor])
  return factor === 1 ? breakdown : Object.fromEntries(parts)
}
