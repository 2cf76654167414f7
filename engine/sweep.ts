/**
 * Sweeps one training spec with one probe: finds the largest batch that fits, measures speed, and assesses the result
 * as an estimate is assessed.
 */
import { type Assessment, type AssessmentOptions, assess } from './assess.ts'
import { knownOf } from './calibration/known.ts'
import { throughputBand } from './estimate/throughput/throughput-band.ts'
import { type Evidence, memoryBand, planOf } from './evidence.ts'
import { type Gpu, hasSpeed } from './gpus/catalogue.ts'
import { type MemoryBand, marginFor, ratioWithin, symmetricBand } from './metrics/range.ts'
import { type Advice, advise, adviseForMemory, DEFAULT_MARGIN } from './metrics/recommend.ts'
import { widestSpread } from './metrics/spread.ts'
import { Throughput } from './metrics/throughput.ts'
import type { ModelConfig } from './models/architecture.ts'
import { type EstimateProbe, EstimateProbes } from './probes/estimate.ts'
import type { Probe, ProbedDevice } from './probes/probe.ts'
import { isBroken, type Trial } from './probes/trial.ts'
import { reportedGpu } from './report/other-gpus.ts'
import { findLargest } from './search/boundary.ts'
import { Grid } from './search/grid.ts'
import { largestBatch } from './search/largest.ts'
import { type SearchResult, search } from './search/search.ts'
import type { Prediction, Strategy } from './search/strategy.ts'
import { SweptMemory } from './search/swept-memory.ts'
import { TrialRecord } from './search/trial-record.ts'
import { accumulatesGradients, batchBounds } from './training/batches.ts'
import type { TrainingSpec } from './training/spec.ts'

export interface SweepOptions extends AssessmentOptions {
  readonly probe: Probe
  readonly strategy: Strategy
  readonly stepSize: number
  readonly signal?: AbortSignal
  readonly onTrial?: (trial: Trial, device: ProbedDevice) => void
  /** Called before each size is tried. */
  readonly onStart?: (microBatch: number) => void
}

export type SweepResult =
  | { readonly kind: 'assessed'; readonly assessment: Assessment; readonly assumptions: readonly string[] }
  | SizesOnly
  /** A trial failed or timed out: no size is known to be the largest. */
  | { readonly kind: 'broken-off'; readonly trial: Trial; readonly trials: readonly Trial[] }
  | { readonly kind: 'cancelled'; readonly trials: readonly Trial[] }

/** The sweep found which sizes fit, and nothing else. */
export interface SizesOnly {
  readonly kind: 'sizes-only'
  readonly why: /** The device keeps no count of memory. */
    | 'no-peaks'
    /** Speed and the memory breakdown are modelled for PyTorch only. */
    | 'other-framework'
  readonly largest: number | undefined
  readonly trials: readonly Trial[]
}

/** Two warm-up steps, then six whose median and spread give the throughput. */
const TIMED_STEPS = 8

/** Sizes timed between the current and the largest, to show where the throughput curve flattens. */
const SIZES_BETWEEN = 2

export async function sweep(spec: TrainingSpec, config: ModelConfig, options: SweepOptions): Promise<SweepResult> {
  const { probe, strategy, signal, footprints, margin = DEFAULT_MARGIN } = options
  const grid = new Grid(options.stepSize)
  const expected = new EstimateProbes(spec, config, gpuOf(options.gpu, probe.device), footprints)
  const record = new TrialRecord(probe, options)

  // The current batch is reported even if it does not fit.
  const accumulates = accumulatesGradients(spec)
  const current = await record.run(spec.microBatch, { accumulates })
  if (signal?.aborted) return { kind: 'cancelled', trials: record.trials }
  if (isBroken(current.outcome)) return { kind: 'broken-off', trial: current, trials: record.trials }
  const found = await search(batch => record.run(batch), {
    strategy,
    space: { grid, prediction: predictionOf(expected.of(false), grid) },
    known: [current],
    ...(signal && { signal }),
  })
  if (found.kind !== 'found') return unfinished(found, record)

  const run = largestKnown(found.largest, spec.microBatch, grid, record)
  if (!record.knowsPeaks) return sizesOnly('no-peaks', run, record)
  if (spec.framework !== 'pytorch') return sizesOnly('other-framework', run, record)

  // Less memory may have been usable in the trials.
  const gpu = gpuOf(options.gpu, probe.device)
  const estimates = new EstimateProbes(spec, config, gpu, footprints)
  const memory = new SweptMemory(record, estimates, run ?? 0)
  const isMeasured = probe.provenance === 'measured'
  // A size that ran on the GPU fits; one that was traced or estimated must fit throughout its error band.
  const safety = isMeasured ? 0 : marginFor(memoryBand(spec, config))
  const leaves = (share: number) => (microBatch: number, beside: boolean) =>
    memory.fits(microBatch, beside, share) &&
    (probe.provenance !== 'estimated' || estimates.of(beside).fits(microBatch, share))
  const largest = safety === 0 ? run : await largestVerified(spec, { grid, record, fits: leaves(safety) })
  const isTimed = probe.engine === 'torch'
  // Trials of this very step say more about memory than calibration does.
  const known = knownOf(spec, config, gpu, isTimed ? [] : options.calibration)
  const speed = known.corrections?.speed
  const { advice, samplesPerSecond, throughputBandPercent } = await recommendVerified(spec, {
    grid,
    record,
    isTimed,
    fits: leaves(Math.max(margin, safety)),
    modelled: (microBatch, accumulation) => {
      const modelled = estimates.of(accumulates).samplesPerSecond(microBatch, accumulation)
      return modelled === undefined ? undefined : modelled * known.speedFactor
    },
  })
  if (signal?.aborted) return { kind: 'cancelled', trials: record.trials }

  const evidence: Evidence = {
    gpu: reportedGpu(gpu),
    provenance: probe.provenance,
    errorBand: isMeasured ? memorySpread(record) : memoryBand(spec, config),
    ratioBand:
      throughputBandPercent === undefined
        ? throughputBand(spec, config, gpu).ratio
        : ratioWithin(1, throughputBandPercent),
    speedBand: known.speedBand,
    corrections: speed && known.corrections && { speed, otherVersions: known.corrections.otherVersions },
    throughputProvenance: isTimed && advice !== undefined ? 'measured' : hasSpeed(gpu) ? 'modelled' : 'unknown',
    ...(throughputBandPercent !== undefined && { throughputBandPercent }),
    largest,
    advice,
    trials: record.trials,
    fits: plan => memory.fits(plan.microBatch, accumulatesGradients(spec, plan)),
    peakBytes: plan => memory.peakBytes(plan.microBatch, accumulatesGradients(spec, plan)),
    samplesPerSecond,
  }
  const assessment = assess(spec, config, { ...options, gpu }, evidence)
  return { kind: 'assessed', assessment, assumptions: assumptionsOf(assessment, record, probe) }
}

/** The largest size on the grid, or the config's own if that ran and lies between it and the next. */
function largestKnown(found: number | undefined, own: number, grid: Grid, record: TrialRecord): number | undefined {
  return grid.indexOf(own) === grid.indexOf(found ?? 0) && record.fits(own, false) ? own : found
}

export function largestWords(largest: number | undefined, spec: TrainingSpec): string {
  if (largest === undefined) return 'Not even one sample fits'
  const alone = accumulatesGradients(spec) ? ', without gradient accumulation,' : ''
  return `Batch ${largest} is the largest that fits${alone}`
}

function unfinished(found: Exclude<SearchResult, { kind: 'found' }>, { trials }: TrialRecord): SweepResult {
  return found.kind === 'cancelled' ? { kind: 'cancelled', trials } : { ...found, trials }
}

/** The spread of peaks between steps; 0 if all steps have the same peak, as most do. */
function memorySpread({ trials }: TrialRecord): MemoryBand {
  const percent = widestSpread(trials, ({ peakBytes, peakBytesSpread }) => [peakBytes, peakBytesSpread]) ?? 0
  return symmetricBand(percent)
}

function sizesOnly(why: SizesOnly['why'], largest: number | undefined, { trials }: TrialRecord): SizesOnly {
  return { kind: 'sizes-only', why, largest, trials }
}

/** The catalogue's GPU with the memory of the actual device. */
function gpuOf(gpu: Gpu, { name, totalBytes, usableBytes }: ProbedDevice): Gpu {
  return { ...gpu, name, totalBytes, contextBytes: totalBytes - usableBytes }
}

function predictionOf(estimate: EstimateProbe, grid: Grid): Prediction {
  const largest = largestBatch(estimate, grid)
  return {
    largest: largest === undefined ? -1 : grid.indexOf(largest),
    peakBytes: microBatch => estimate.peakBytes(microBatch),
    usableBytes: estimate.usableBytes,
  }
}

interface Recommending {
  readonly grid: Grid
  readonly record: TrialRecord
  readonly isTimed: boolean
  /** With the margin left free. */
  readonly fits: (microBatch: number, accumulates: boolean) => boolean
  /** Samples per second; undefined if the GPU's speed is not modelled. */
  readonly modelled: (microBatch: number, accumulation: number) => number | undefined
}

interface Recommendation {
  readonly advice: Advice | undefined
  readonly samplesPerSecond: Evidence['samplesPerSecond']
  readonly throughputBandPercent?: number
}

/** The largest allowed size on the grid, or the config's own if that is larger and allowed. */
function largestAllowed(grid: Grid, own: number, allowed: (size: number) => boolean): number | undefined {
  const found = findLargest(grid, 0, allowed)
  return own > (found ?? 0) && allowed(own) ? own : found
}

/**
 * The largest size that leaves room for the error band and has been tried. A size that turns out too large is replaced
 * by the next smaller one.
 */
async function largestVerified(
  { microBatch: own }: TrainingSpec,
  { grid, record, fits }: Pick<Recommending, 'grid' | 'record' | 'fits'>,
): Promise<number | undefined> {
  for (let tooLarge = Number.POSITIVE_INFINITY; ; ) {
    const largest = largestAllowed(grid, own, size => size < tooLarge && fits(size, false))
    if (largest === undefined) return undefined
    const { outcome } = await record.run(largest)
    if (outcome.kind === 'fits' && fits(largest, false)) return largest
    tooLarge = largest
  }
}

/** Recommends only a size that has been tried. A size that turns out too large is replaced by the next smaller one. */
async function recommendVerified(spec: TrainingSpec, recommending: Recommending): Promise<Recommendation> {
  const { grid, record, isTimed, fits, modelled } = recommending
  const steps = isTimed ? TIMED_STEPS : 0
  const current = planOf(spec)
  // The smallest size that turned out too large. Each recommendation is below it, so the loop ends.
  const tooLarge = { alone: Number.POSITIVE_INFINITY, accumulating: Number.POSITIVE_INFINITY }
  for (;;) {
    const largestWithMargin = (isSeveral: boolean) => {
      const accumulates = accumulatesGradients(spec, { gradientAccumulation: isSeveral ? 2 : 1 })
      const limit = tooLarge[accumulates ? 'accumulating' : 'alone']
      return largestAllowed(grid, spec.microBatch, size => size < limit && fits(size, accumulates))
    }
    const top = largestWithMargin(false)
    if (isTimed && top !== undefined) await timeSizes(spec, recommending, top)
    const throughput = new Throughput(record.trials, modelled)
    const samplesPerSecond: Evidence['samplesPerSecond'] = plan =>
      throughput.samplesPerSecond(plan.microBatch, plan.gradientAccumulation)
    const situation = { current, bounds: batchBounds(spec), grid, largestWithMargin }
    const advice = throughput.isKnown
      ? advise({ ...situation, samplesPerSecond: plan => samplesPerSecond(plan) ?? 1 })
      : adviseForMemory(situation)
    if (advice === undefined) break
    const { microBatch } = advice.recommended
    const accumulates = accumulatesGradients(spec, advice.recommended)
    const { outcome } = await record.run(microBatch, { accumulates, steps })
    if (isBroken(outcome)) return { advice: undefined, samplesPerSecond }
    if (outcome.kind === 'fits' && fits(microBatch, accumulates)) {
      const { bandPercent } = throughput
      return { advice, samplesPerSecond, ...(bandPercent !== undefined && { throughputBandPercent: bandPercent }) }
    }
    tooLarge[accumulates ? 'accumulating' : 'alone'] = microBatch
  }
  return {
    advice: undefined,
    samplesPerSecond: plan => modelled(plan.microBatch, plan.gradientAccumulation),
  }
}

async function timeSizes(spec: TrainingSpec, { record, grid, fits }: Recommending, top: number): Promise<void> {
  const accumulates = accumulatesGradients(spec)
  const lowest = Math.min(spec.microBatch, top)
  const sizes = new Set([top])
  for (let part = 1; part <= SIZES_BETWEEN; part++) {
    const between = lowest * (top / lowest) ** (part / (SIZES_BETWEEN + 1))
    sizes.add(grid.at(Math.max(0, grid.indexOf(between))))
  }
  const steps = TIMED_STEPS
  if (fits(spec.microBatch, accumulates)) await record.run(spec.microBatch, { accumulates, steps })
  for (const size of [...sizes].toSorted((a, b) => a - b)) await record.run(size, { steps })
}

function assumptionsOf(assessment: Assessment, record: TrialRecord, probe: Probe): string[] {
  const { provenance, throughputProvenance, current } = assessment
  const { name, software } = probe.device
  const by = software === '' ? '' : ` (${software})`
  const unread = [assessment.current, assessment.recommended, assessment.largest].some(
    point =>
      point !== undefined && record.peak(point.microBatch, accumulatesGradients(assessment.spec, point)) === undefined,
  )
  return [
    `Peak memory is ${provenance} for the ${name}${by}; throughput is ${throughputProvenance}.`,
    ...(provenance === 'estimated' ? [] : ['The memory breakdown and the cheaper GPU are modelled.']),
    ...(unread && provenance !== 'estimated'
      ? [`For a size that ran out of memory, the peak is modelled and corrected by the sizes that were ${provenance}.`]
      : []),
    ...(throughputProvenance === 'measured' && !current.fits
      ? ['The current batch does not run, so its throughput is extrapolated from the sizes that do.']
      : []),
  ]
}
