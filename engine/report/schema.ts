/**
 * Report schema v1: the contract between engine, CLI, Action, bot and page. Whoever receives one parses it with this
 * schema first: an artifact that crossed a pull request is hostile input, so every string and list has a cap.
 * Derived figures (percentages of other fields, GiB) are not stored; `engine/metrics` computes them.
 */
import * as z from 'zod'
import { batchSize } from '../config/batch-size.ts'
import { MAX_NAMED } from '../config/memory-settings.ts'
import { otherFile, position, unreadSetting } from '../config/reading.ts'
import { trainingSpec } from '../config/spec.ts'
import { trainingPlace } from '../config/training-place.ts'
import { problem } from '../errors.ts'
import { stepPhases } from '../estimate/step/step.ts'
import { byteKinds } from '../estimate/tape/storage.ts'
import { priceCaveats } from '../gpus/card.ts'
import { provenance, trial } from '../probes/trial.ts'
import { policy, spared, verdict } from '../verdict/policy.ts'
import { advisedLever, MAX_LEVERS } from './advised-levers.ts'
import { changedLine } from './changed-lines.ts'
import { MAX_PLAYGROUND_LINK, playgroundLinkPattern } from './playground-address.ts'
import { upgrade } from './upgrade.ts'

const bytes = z.number().min(0).max(1e18)
const usd = z.number().min(-1e12).max(1e12)
const range = z.object({ low: z.number().positive(), high: z.number().positive() })
const usdRange = z.object({ low: usd, high: usd })
const label = z.string().max(200)
const path = z.string().min(1).max(4_096)

/**
 * Throughput is measured or comes from a roofline model, independently of how memory was obtained; unknown for a GPU that is
 * described without its bandwidth or FLOP/s.
 */
export const throughputProvenance = z.enum(['measured', 'modelled', 'unknown'])

/** Bytes by kind at the peak; they add up to it. `engine/estimate/tape/storage.ts` defines the kinds. */
export const breakdown = z.record(z.enum(byteKinds), bytes)
export type Breakdown = z.infer<typeof breakdown>

/** One batch size, described: the current, the recommended or the largest. */
export const operatingPoint = z.object({
  microBatch: batchSize,
  gradientAccumulation: batchSize,
  effectiveBatch: z.number().int().min(1),
  fits: z.boolean(),
  peakBytes: bytes,
  /** What the caching allocator holds at that peak, fragments included: it decides whether the batch fits. Absent if unknown. */
  reservedBytes: bytes.optional(),
  /** Absent where the throughput is unknown. */
  samplesPerSecond: z.number().positive().optional(),
  /** Where a modelled throughput really lies, nine times in ten. Absent where it was measured, and in older reports. */
  samplesPerSecondRange: range.optional(),
  costPerRunUsd: usd,
  /** The same of a cost that rests on the speed-up over the current batch. */
  costPerRunRangeUsd: usdRange.optional(),
})
export type OperatingPoint = z.infer<typeof operatingPoint>

export const reportedGpu = z.object({
  id: label,
  name: label,
  /** As torch.cuda.get_device_properties reports it. */
  totalBytes: bytes,
  /** total − CUDA context. */
  usableBytes: bytes,
  pricePerHourUsd: usd,
  /** Where the price is from and when it was read. */
  priceSource: label,
  priceDate: label,
  /** Absent for a price that a provider asked for this very card within the last twelve months, and in older reports. */
  priceCaveat: z.enum(priceCaveats).optional(),
  /** Where a team describes this GPU, such as `.github/memorymark.yml, line 3`. Absent for one of the catalogue. */
  describedAt: label.optional(),
})
export type ReportedGpu = z.infer<typeof reportedGpu>

/** Of a config's numbers: the micro-batch and the accumulation. */
export const MAX_CHANGED_LINES = 2

/**
 * What is nobody's word: which GPU trains, how many of them, what settings of memory mean that were not understood, what the
 * team's code makes of keys of its own, or how long sequences become.
 */
export const assumedCircumstance = z.enum(['gpu', 'gpus', 'settings', 'code', 'length'])
export type AssumedCircumstance = z.infer<typeof assumedCircumstance>

/** The config on another card, estimated. */
export const cardFit = z.object({
  gpu: z.object({ id: label, name: label, usableBytes: bytes }),
  peakBytes: bytes,
  /** Throughout the band of the estimate. */
  fits: z.boolean(),
})
export type CardFit = z.infer<typeof cardFit>

/** How runs of one's own corrected an estimated figure. */
const correction = z.object({
  runs: z.number().int().positive().max(1_000),
  /** Measured ÷ estimated, by which the figures of this report are multiplied already. */
  factor: z.number().positive().max(1_000),
  /** Where a run like these lies, nine times in ten, as factors of the corrected figure. */
  band: range,
})

/** Corrections by readings of this GPU and this kind of training. The figures stay estimated and modelled. */
export const reportedCalibration = z.object({
  speed: correction.optional(),
  memory: correction.optional(),
  /** Runs whose estimate is of another version of MemoryMark. */
  otherVersions: z.number().int().min(0).max(1_000),
})

export const runPhases = ['loading', 'training-step', 'evaluation', 'evaluation-with-metrics'] as const

/** A moment of the run at which it could run out of memory. */
export const runPeak = z.object({
  /**
   * `loading`: before the weights are divided among the GPUs. `evaluation-with-metrics`: where a `compute_metrics` asks for the
   * logits, which are then kept.
   */
  phase: z.enum(runPhases),
  /** Absent where no batch is on the GPU yet. */
  microBatch: batchSize.optional(),
  /** Of one GPU. */
  peakBytes: bytes,
  /** `may-not-fit`: in a part of the error band. */
  state: z.enum(['fits', 'may-not-fit', 'does-not-fit']),
  provenance,
  /** The largest micro-batch below this one that fits throughout the band, where this one does not. */
  fittingMicroBatch: batchSize.optional(),
  /** What metrics keep of each sample on the GPU; for as many samples as there are, where the phase is not one with metrics. */
  logitBytesPerSample: bytes.optional(),
})
export type RunPeak = z.infer<typeof runPeak>

/** Memory at a moment of the step: the highest of some that follow each other. */
export const memoryPoint = z.object({ phase: z.enum(stepPhases), moment: label, bytes, breakdown })

/** From a step's start to its end. */
export const MAX_MEMORY_POINTS = 200

/** Samples per second at a size, with one micro-batch per step. */
export const throughputPoint = z.object({
  microBatch: batchSize,
  samplesPerSecond: z.number().positive(),
  /** Only if the peaks of the report are estimated: a measured one stands among the trials. */
  peakBytes: bytes.optional(),
})
export type ThroughputPoint = z.infer<typeof throughputPoint>

/** Files of the repository that were read for a config besides its own. Absent where there are none, and in older reports. */
const otherFiles = z.array(otherFile).max(10).optional()

/** Which training of its file it is; absent where the file starts one, and in older reports. */
const training = trainingPlace.optional()

export const analysedConfig = z.object({
  status: z.literal('analysed'),
  path,
  training,
  dialect: label,
  spec: trainingSpec,
  /** Where the micro-batch is written; absent when the config leaves it to its tool's default. */
  batchSizeAt: position.optional(),
  gradientAccumulationAt: position.optional(),
  /** The lines that make the recommendation, where a program can change them. Absent in older reports. */
  change: z.array(changedLine).min(1).max(MAX_CHANGED_LINES).optional(),
  gpu: reportedGpu,
  provenance,
  /** Half-width of the band around every memory figure: checked by `npm run bench:accuracy`, or the spread of measured steps. */
  errorBandPercent: z.number().min(0).max(100),
  /** Where memory may lie in percent of a figure, asymmetrically; `errorBandPercent` is the larger half. Absent in older reports. */
  errorBand: z
    .object({ lowPercent: z.number().min(-100).max(0), highPercent: z.number().min(0).max(1_000) })
    .optional(),
  throughputProvenance,
  /** Half-width of the band around every throughput: the widest spread of the timed steps. Absent where it is modelled. */
  throughputBandPercent: z.number().min(0).max(100).optional(),
  current: operatingPoint,
  /** Absent when not even one sample fits. */
  recommended: operatingPoint.optional(),
  largest: operatingPoint.optional(),
  /** The recommendation with a larger effective batch, if that is worthwhile. Absent in older reports. */
  beyond: operatingPoint.optional(),
  /** Bytes at the peak of the current batch, and the moment of that peak in words. */
  breakdown,
  peakMoment: label,
  /** Recommended against current samples per second. */
  speedup: z.number().positive(),
  /** The interval in which a ratio of two throughputs really lies, nine times in ten, as factors. Absent in older reports. */
  ratioBand: range.optional(),
  /** Where `speedup` really lies, nine times in ten, and what is saved at its ends. Absent in older reports. */
  speedupRange: range.optional(),
  savingsPerRunRangeUsd: usdRange.optional(),
  savingsPerYearRangeUsd: usdRange.optional(),
  /** Where a modelled throughput really lies, nine times in ten, as factors. Absent where it is unknown, and in older reports. */
  throughputBand: range.optional(),
  /** Absent where no run of one's own has corrected the figures. */
  calibration: reportedCalibration.optional(),
  savingsPerRunUsd: usd,
  savingsPerYearUsd: usd,
  /** Every way to free memory, best first, each estimated by itself. Absent where it was not asked for, and in older reports. */
  levers: z.array(advisedLever).max(MAX_LEVERS).optional(),
  /** A cheaper GPU on which the current config fits and a run costs less. */
  rightSizing: z.object({ gpu: reportedGpu, costPerRunUsd: usd, costPerRunRangeUsd: usdRange.optional() }).optional(),
  /** Memory over the current step. Absent where it was not asked for, of what was not estimated, and in older reports. */
  overStep: z.array(memoryPoint).min(1).max(MAX_MEMORY_POINTS).optional(),
  /** Where the run could run out of memory, where more than the training step is known. Absent in older reports. */
  peaks: z.array(runPeak).min(1).max(10).optional(),
  /** Where the change gives its libraries other versions: the peak with both. Absent where not, and in older reports. */
  upgrade: upgrade.optional(),
  trials: z.array(trial).max(1_000),
  /** At sizes that fit; if throughput was measured, at the timed ones. Absent in older reports. */
  throughputCurve: z.array(throughputPoint).max(1_000).optional(),
  hoursPerRun: z.number().positive().max(1e6),
  runsPerYear: z.number().positive().max(1e6),
  /** What the config did not say and was assumed, one sentence each. */
  assumptions: z.array(z.string().max(500)).max(30),
  /** What was assumed and decides the figures; it never blocks. Absent where nothing was, and in older reports. */
  assumed: z.array(assumedCircumstance).max(5).optional(),
  /** Settings that look like ones of memory and were not understood. Absent where there are none, and in older reports. */
  unreadSettings: z.array(unreadSetting).max(MAX_NAMED).optional(),
  /** If no GPU is named for certain, what a job asks for where, and what that may be. Absent where none asks, and in older reports. */
  askedGpu: z.string().max(1_000).optional(),
  /** Where the config fits, card by card, if no GPU is named. */
  cardFits: z.array(cardFit).max(30).optional(),
  otherFiles,
  /** Opens the config in the team's playground. Absent where the settings name none, or the page could not show the same. */
  playgroundLink: z.string().max(MAX_PLAYGROUND_LINK).regex(playgroundLinkPattern).optional(),
  verdict,
})
export type AnalysedConfig = z.infer<typeof analysedConfig>

/** A training config about which no number can be given, and why. */
export const unanalysedConfig = z.object({
  status: z.literal('not-analysed'),
  path,
  training,
  problems: z.array(problem).min(1).max(50),
  otherFiles,
  /** Why it does not block, if it does not. */
  spared: spared.optional(),
})
export type UnanalysedConfig = z.infer<typeof unanalysedConfig>

export const REPORT_SCHEMA = 'memorymark.report/v2'
/** Differs in the words for training methods, which the spec's schema reads. */
const EARLIER_SCHEMA = 'memorymark.report/v1'

export const report = z.object({
  schema: z.preprocess(name => (name === EARLIER_SCHEMA ? REPORT_SCHEMA : name), z.literal(REPORT_SCHEMA)),
  toolVersion: label,
  createdAt: z.iso.datetime(),
  policy,
  configs: z.array(z.discriminatedUnion('status', [analysedConfig, unanalysedConfig])).max(5_000),
})
export type Report = z.infer<typeof report>
export type { Outcome, Provenance, Trial } from '../probes/trial.ts'
export type { Reason, Verdict } from '../verdict/policy.ts'
export type ConfigResult = Report['configs'][number]
