/** Reads what a training run left: our report, a trainer_state.json, or a log. */
import * as z from 'zod'
import type { RunFigures } from '../engine/calibration/file.ts'
import type { SourceFile } from '../engine/config/reading.ts'
import type { TrainingSpec } from '../engine/config/spec.ts'
import { MemoryMarkError, type Problem } from '../engine/errors.ts'
import { parseJson } from '../engine/json.ts'
import type { Outcome } from '../engine/probes/trial.ts'
import { type AnalysedConfig, type Report, report } from '../engine/report/schema.ts'
import { analysedIn } from '../engine/report/standing.ts'

/** A run from a report, which says the spec and the GPU. */
export interface ReportedRun {
  readonly spec: TrainingSpec
  /** The GPU's id. */
  readonly gpu: string
  readonly measured: RunFigures
}

/** A run from a log, which says neither. */
export interface LoggedRun {
  /** Summed over all GPUs. */
  readonly samplesPerSecond: number
  /** Micro-batch per GPU, if the log says it. */
  readonly microBatch?: number
}

export type RunSource =
  | { readonly kind: 'report'; readonly runs: readonly ReportedRun[] }
  | { readonly kind: 'log'; readonly run: LoggedRun }

/** @throws MemoryMarkError for a file without a measurement, or with contradicting ones. */
export function readRunSource({ path, text }: SourceFile): RunSource {
  const json = parseJson(text)
  if (z.object({ schema: report.shape.schema }).safeParse(json).success) {
    const parsed = report.safeParse(json)
    if (!parsed.success)
      throw refused(path, 'it is no report of MemoryMark', 'Give the file as `--json` or the Action wrote it.')
    return { kind: 'report', runs: measuredRuns(parsed.data) }
  }
  const state = trainerState.safeParse(json)
  return { kind: 'log', run: state.success ? runInState(path, state.data) : runInLog(path, text) }
}

/** The runs of a report that were measured on a GPU. */
export function measuredRuns(measured: Report): ReportedRun[] {
  return analysedIn(measured).flatMap(config => {
    const run = config.provenance === 'measured' ? measuredRun(config) : undefined
    return run ? [run] : []
  })
}

/** One run for each config: at its own batch if that was timed, else at the largest timed one. */
function measuredRun({ spec, gpu, trials }: AnalysedConfig): ReportedRun | undefined {
  const timed = trials
    .flatMap(({ microBatch, accumulates = false, provenance, outcome }) =>
      provenance === 'measured' && outcome.kind === 'fits' && outcome.stepMillisSpread !== undefined
        ? [{ microBatch, accumulates, outcome }]
        : [],
    )
    .toSorted((a, b) => a.microBatch - b.microBatch)
  const asWritten = timed.find(
    ({ microBatch, accumulates }) => microBatch === spec.microBatch && accumulates === spec.gradientAccumulation > 1,
  )
  const trial = asWritten ?? timed.findLast(({ accumulates }) => !accumulates)
  if (trial === undefined) return undefined
  const gradientAccumulation = trial === asWritten ? spec.gradientAccumulation : 1
  const ran = { ...spec, microBatch: trial.microBatch, gradientAccumulation }
  return { spec: ran, gpu: gpu.id, measured: figuresOf(trial.outcome, ran) }
}

function figuresOf(
  { stepMillis, optimizerMillis = 0, peakBytes }: Extract<Outcome, { kind: 'fits' }>,
  { microBatch, gradientAccumulation }: TrainingSpec,
): RunFigures {
  const millis = stepMillis && gradientAccumulation * Math.max(0, stepMillis - optimizerMillis) + optimizerMillis
  return {
    ...(millis && { samplesPerSecond: (1_000 * microBatch * gradientAccumulation) / millis }),
    ...(peakBytes && { peakBytes }),
  }
}

const seconds = z.number().min(0).max(1e9)

/**
 * transformers' TrainerState. The last log entry has the rate of the whole run; entries of evaluations have their time.
 */
const trainerState = z.object({
  log_history: z
    .array(
      z.object({
        train_samples_per_second: z.number().positive().max(1e9).optional(),
        train_runtime: seconds.optional(),
        eval_runtime: seconds.optional(),
      }),
    )
    .max(1_000_000),
  train_batch_size: z.number().int().positive().max(1e6).nullish(),
})

/** The run without the time of its evaluations. */
function runInState(
  path: string,
  { log_history: history, train_batch_size: microBatch }: z.infer<typeof trainerState>,
): LoggedRun {
  const last = history.findLast(({ train_samples_per_second: rate }) => rate !== undefined)
  if (last?.train_samples_per_second === undefined || !last.train_runtime) {
    throw refused(
      path,
      'it has no train_samples_per_second with its train_runtime, which transformers writes when a run ends',
      'Give the trainer_state.json that trainer.save_state() wrote after the run.',
    )
  }
  const evaluating = history.reduce((sum, { eval_runtime: taken = 0 }) => sum + taken, 0)
  const training = last.train_runtime - evaluating
  if (training <= 0) throw refused(path, 'its evaluations take longer than the run', 'Give the state of one whole run.')
  return {
    samplesPerSecond: (last.train_samples_per_second * last.train_runtime) / training,
    ...(microBatch && { microBatch }),
  }
}

/** The rate as transformers prints it, writes it to train_results.json, and logs it to Weights & Biases. */
const rateInLog = /\btrain_samples_per_second["']?\s*[:=]\s*([0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)/gi

function runInLog(path: string, text: string): LoggedRun {
  const rates = new Set(Array.from(text.matchAll(rateInLog), ([, rate]) => Number(rate)).filter(rate => rate > 0))
  const [samplesPerSecond] = rates
  if (samplesPerSecond === undefined) {
    throw refused(
      path,
      'no measured speed is in it',
      'Give a report of MemoryMark, a trainer_state.json, or a log with one train_samples_per_second.',
    )
  }
  if (rates.size > 1) {
    throw refused(path, `it has ${rates.size} different train_samples_per_second`, 'Give the log of one run alone.')
  }
  return { samplesPerSecond }
}

function refused(file: string, message: string, fix: string): MemoryMarkError {
  const problem: Problem = { code: 'no-measurement', file, message, fix }
  return new MemoryMarkError(problem)
}
