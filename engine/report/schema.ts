/**
 * The report's schema: the contract between engine, command line, Action, bot and page. A receiver parses a report with
 * it first. A report from a pull request's artifact is hostile input, so every string and list is capped. Values
 * derived from other fields (percentages, GiB) are not stored; `engine/metrics` computes them.
 */
import * as z from 'zod'
import { problem } from '../base/errors.ts'
import { position } from '../base/position.ts'
import { MAX_NAMED } from '../config/fields/memory-settings.ts'
import { otherFile, unreadSetting } from '../config/reading.ts'
import { trainingPlace } from '../config/training-place.ts'
import { stepPhases } from '../estimate/step/step.ts'
import { byteKinds } from '../estimate/tape/storage.ts'
import { priceCaveats } from '../gpus/card.ts'
import { provenance, trial } from '../probes/trial.ts'
import { batchSize } from '../training/batch-size.ts'
import { trainingSpec } from '../training/spec.ts'
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
 * Throughput is measured or comes from a roofline model, whichever way memory was obtained; `unknown` for a GPU
 * described without its bandwidth or FLOP/s.
 */
export const throughputProvenance = z.enum(['measured', 'modelled', 'unknown'])

/** Bytes by kind at the peak; they add up to the peak. `engine/estimate/tape/storage.ts` defines the kinds. */
const breakdown = z.record(z.enum(byteKinds), bytes)
export type Breakdown = z.infer<typeof breakdown>

/** The figures of one batch size: the current, the recommended or the largest. */
export const operatingPoint = z.object({
  microBatch: batchSize,
  gradientAccumulation: batchSize,
  effectiveBatch: z.number().int().min(1),
  fits: z.boolean(),
  /** Set if it fits by the estimate, fragments included, but not in all of the error band. */
  mayNotFit: z.literal(true).optional(),
  peakBytes: bytes,
  /**
   * What the caching allocator reserves at that peak, fragments included, which decides whether the batch fits. Absent
   * if unknown, and of an estimate where the peak alone is more than twice what the GPU has.
   */
  reservedBytes: bytes.optional(),
  /** Absent if unknown. */
  samplesPerSecond: z.number().positive().optional(),
  /** 90 % interval of a modelled throughput. Absent if it was measured, and in older reports. */
  samplesPerSecondRange: range.optional(),
  costPerRunUsd: usd,
  /** 90 % interval of a cost that depends on the speedup over the current batch. */
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
  /** The price's source and the date on which it was read. */
  priceSource: label,
  priceDate: label,
  /**
   * Why the price is less certain. Absent for a price for this GPU from the last twelve months, and in older reports.
   */
  priceCaveat: z.enum(priceCaveats).optional(),
  /**
   * The place where a team describes this GPU, such as `.github/memorymark.yml, line 3`. Absent for a GPU of the
   * catalogue.
   */
  describedAt: label.optional(),
})
export type ReportedGpu = z.infer<typeof reportedGpu>

/** The numbers of a config that change: micro-batch, gradient accumulation and the batch of evaluations. */
const MAX_CHANGED_LINES = 3

/**
 * What the config does not say and was assumed: the GPU, the number of GPUs, memory settings that were not understood,
 * keys that the team's own code interprets, the sequence length; or that more memory is counted than is taken.
 */
const assumedCircumstance = z.enum(['gpu', 'gpus', 'settings', 'code', 'length', 'upper-bound'])
export type AssumedCircumstance = z.infer<typeof assumedCircumstance>

/** Whether the config fits another GPU, estimated. */
const cardFit = z.object({
  gpu: z.object({ id: label, name: label, usableBytes: bytes }),
  peakBytes: bytes,
  /** Whether it fits throughout the error band. */
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

/**
 * Corrections from the team's runs on this GPU with this kind of training. The figures still count as estimated and
 * modelled.
 */
const reportedCalibration = z.object({
  speed: correction.optional(),
  memory: correction.optional(),
  /** Runs left out because another version of MemoryMark estimated them. */
  otherVersions: z.number().int().min(0).max(1_000),
})

export const runPhases = [
  'loading',
  'resuming',
  'first-step',
  'mean-step',
  'training-step',
  'evaluation',
  'evaluation-with-metrics',
  'generation',
  'saving',
] as const

/** The memory at one moment of the run, and whether it fits. */
export const runPeak = z.object({
  /**
   * `loading`: while weights are quantised, and before they are sharded. `resuming`: while the optimizer's state is loaded from a checkpoint.
   * `first-step`: before the optimizer has its state, told where later steps do not fit. `mean-step`: a training step on
   * samples of the mean length; `training-step` is on the longest.
   * `evaluation-with-metrics`: with a `compute_metrics`, for which logits are kept on the GPU. `generation`: of an
   * evaluation's texts. `saving`: while sharded weights are gathered for a checkpoint.
   */
  phase: z.enum(runPhases),
  /** Absent for a moment before any batch is on the GPU. */
  microBatch: batchSize.optional(),
  /** Per GPU. */
  peakBytes: bytes,
  /** `may-not-fit`: does not fit in part of the error band. */
  state: z.enum(['fits', 'may-not-fit', 'does-not-fit']),
  provenance,
  /** If this micro-batch does not fit throughout the band: the largest smaller one that does. */
  fittingMicroBatch: batchSize.optional(),
  /** Bytes of logits, and of an encoder's output, that metrics keep on the GPU for each sample evaluated. */
  logitBytesPerSample: bytes.optional(),
  /** Where nothing says how many samples are evaluated: of how many they surely fit until the end. */
  fittingSamples: z.number().int().min(0).optional(),
  /** Of loading: up to all weights wait in 16 bits to be quantised, and `peakBytes` is that most. */
  waitsInFull: z.literal(true).optional(),
  /** Of saving: the whole model at once, and not a part of it at a time. */
  gathersWhole: z.literal(true).optional(),
  /** If what metrics keep does not fit throughout the band: the largest `eval_accumulation_steps` with which it does. */
  fittingAccumulation: z.number().int().positive().optional(),
})
export type RunPeak = z.infer<typeof runPeak>

/** Memory at a moment of the step: the highest of several consecutive ones. */
const memoryPoint = z.object({ phase: z.enum(stepPhases), moment: label, bytes, breakdown })

/** For one step. */
const MAX_MEMORY_POINTS = 200

/** Samples per second at a size, with one micro-batch per step. */
const throughputPoint = z.object({
  microBatch: batchSize,
  samplesPerSecond: z.number().positive(),
  /** Only if the report's peaks are estimated; measured ones are in `trials`. */
  peakBytes: bytes.optional(),
})
export type ThroughputPoint = z.infer<typeof throughputPoint>

/** Other files of the repository that were read for a config. Absent if there are none, and in older reports. */
const otherFiles = z.array(otherFile).max(10).optional()

/** Which training of its file it is; absent if the file starts only one, and in older reports. */
const training = trainingPlace.optional()

export const analysedConfig = z.object({
  status: z.literal('analysed'),
  path,
  training,
  dialect: label,
  spec: trainingSpec,
  /** Where the micro-batch is written; absent if the config leaves it to its tool's default. */
  batchSizeAt: position.optional(),
  gradientAccumulationAt: position.optional(),
  /** Absent if the config leaves it to its tool's default, and in older reports. */
  evaluationBatchSizeAt: position.optional(),
  /** The lines that make the recommendation, if they can be changed automatically. Absent in older reports. */
  change: z.array(changedLine).min(1).max(MAX_CHANGED_LINES).optional(),
  gpu: reportedGpu,
  provenance,
  /**
   * Half-width of the error band of every memory figure: of the estimate (checked by `npm run bench:accuracy`), or the
   * spread of measured steps.
   */
  errorBandPercent: z.number().min(0).max(100),
  /**
   * The error band of memory in percent of a figure; `errorBandPercent` is its larger half. Absent in older reports.
   */
  errorBand: z
    .object({ lowPercent: z.number().min(-100).max(0), highPercent: z.number().min(0).max(1_000) })
    .optional(),
  throughputProvenance,
  /**
   * Half-width of the band of measured throughputs: the widest spread of the timed steps. Absent if throughput is
   * modelled.
   */
  throughputBandPercent: z.number().min(0).max(100).optional(),
  current: operatingPoint,
  /** Absent if not even one sample fits. */
  recommended: operatingPoint.optional(),
  largest: operatingPoint.optional(),
  /** The recommendation with a larger effective batch, if that is worthwhile. Absent in older reports. */
  beyond: operatingPoint.optional(),
  /** Bytes by kind at the peak of the current batch, and that moment in words. */
  breakdown,
  peakMoment: label,
  /** Recommended over current samples per second. */
  speedup: z.number().positive(),
  /** 90 % interval of a ratio of two throughputs, as factors of it. Absent in older reports. */
  ratioBand: range.optional(),
  /** 90 % interval of `speedup`, and the savings at its ends. Absent in older reports. */
  speedupRange: range.optional(),
  savingsPerRunRangeUsd: usdRange.optional(),
  savingsPerYearRangeUsd: usdRange.optional(),
  /** 90 % interval of a modelled throughput, as factors of it. Absent if unknown, and in older reports. */
  throughputBand: range.optional(),
  /** Absent if no run of the team's own has corrected the figures. */
  calibration: reportedCalibration.optional(),
  savingsPerRunUsd: usd,
  savingsPerYearUsd: usd,
  /** Levers, best first, each estimated by itself. Absent if not asked for, and in older reports. */
  levers: z.array(advisedLever).max(MAX_LEVERS).optional(),
  /** What samples may hold besides text, and is not counted. Absent if nothing is, and in older reports. */
  leftOut: z.enum(['images', 'audio']).optional(),
  /** A cheaper GPU on which the current config fits and a run costs less. */
  rightSizing: z.object({ gpu: reportedGpu, costPerRunUsd: usd, costPerRunRangeUsd: usdRange.optional() }).optional(),
  /** Memory over the current step. Absent if not asked for or not estimated, and in older reports. */
  overStep: z.array(memoryPoint).min(1).max(MAX_MEMORY_POINTS).optional(),
  /** Other moments at which the run could run out of memory, if any are known. Absent in older reports. */
  peaks: z.array(runPeak).min(1).max(10).optional(),
  /**
   * The peak with the old and the new library versions. Absent if the change leaves them as they are, and in older
   * reports.
   */
  upgrade: upgrade.optional(),
  trials: z.array(trial).max(1_000),
  /** At sizes that fit; if throughput was measured, at the timed sizes. Absent in older reports. */
  throughputCurve: z.array(throughputPoint).max(1_000).optional(),
  hoursPerRun: z.number().positive().max(1e6),
  runsPerYear: z.number().positive().max(1e6),
  /** What the config did not say and was assumed, one sentence each. */
  assumptions: z.array(z.string().max(500)).max(30),
  /**
   * Assumptions that the verdict depends on; such a config never blocks. Absent if there are none, and in older
   * reports.
   */
  assumed: z.array(assumedCircumstance).max(6).optional(),
  /**
   * Settings that look like memory settings and were not understood. Absent if there are none, and in older reports.
   */
  unreadSettings: z.array(unreadSetting).max(MAX_NAMED).optional(),
  /**
   * If no GPU is named for certain: the GPU request of a job, where it stands, and why it is unclear. Absent if no job
   * asks for one, and in older reports.
   */
  askedGpu: z.string().max(1_000).optional(),
  /** The common GPUs that the config fits, if no GPU is named. */
  cardFits: z.array(cardFit).max(30).optional(),
  otherFiles,
  /**
   * Opens the config in the playground. Absent if the settings name no playground, or the page could not show
   * the same.
   */
  playgroundLink: z.string().max(MAX_PLAYGROUND_LINK).regex(playgroundLinkPattern).optional(),
  verdict,
})
export type AnalysedConfig = z.infer<typeof analysedConfig>

/** A training config without figures, and the problems why. */
export const unanalysedConfig = z.object({
  status: z.literal('not-analysed'),
  path,
  training,
  /** The format that it was taken for. Absent if it cannot be parsed, and in older reports. */
  dialect: label.optional(),
  problems: z.array(problem).min(1).max(50),
  otherFiles,
  /** Why it does not block; absent if it blocks. */
  spared: spared.optional(),
})
export type UnanalysedConfig = z.infer<typeof unanalysedConfig>

export const REPORT_SCHEMA = 'memorymark.report/v2'
/** The earlier schema names training methods differently; the spec's schema reads its names. */
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
