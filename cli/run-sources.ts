/** Reads what a training run left: our report, a trainer_state.json, or a log. */
import * as z from 'zod'
import { MemoryMarkError, type Problem } from '../engine/base/errors.ts'
import { parseJson } from '../engine/base/json.ts'
import type { RunFigures } from '../engine/calibration/file.ts'
import type { SourceFile } from '../engine/config/reading.ts'
import type { Outcome } from '../engine/probes/trial.ts'
import { type AnalysedConfig, type Report, report } from '../engine/report/schema.ts'
import { analysedIn } from '../engine/report/standing.ts'
import type { TrainingSpec } from '../engine/training/spec.ts'

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
  const end = history.findLastIndex(({ train_samples_per_second: rate }) => rate !== undefined)
  const last = history[end]
  if (last?.train_samples_per_second === undefined || !last.train_runtime) {
    throw refused(
      path,
      'it has no train_samples_per_second with its train_runtime, which transformers writes when a run ends',
      'Give the trainer_state.json that trainer.save_state() wrote after the run, or its log.',
    )
  }
  // What comes after the last entry ran after the training.
  const evaluating = history.slice(0, end).reduce((sum, { eval_runtime: taken = 0 }) => sum + taken, 0)
  const samplesPerSecond = withoutEvaluations(path, last.train_samples_per_second, last.train_runtime, evaluating)
  return { samplesPerSecond, ...(microBatch && { microBatch }) }
}

/** The rate of the training alone: transformers divides by the time of the whole run. */
function withoutEvaluations(path: string, rate: number, runtime: number, evaluating: number): number {
  const training = runtime - evaluating
  if (training <= 0) throw refused(path, 'its evaluations take longer than the run', 'Give what one whole run left.')
  return (rate * runtime) / training
}

/** A figure as transformers prints it (as text from release 5 on), writes it to train_results.json, or logs it to Weights & Biases. */
function figuresNamed(name: string): RegExp {
  return new RegExp(`\\b${name}["']?\\s*[:=]\\s*["']?([0-9]+(?:\\.[0-9]+)?(?:e[+-]?[0-9]+)?)(?=["'\\s,}]|$)`, 'gi')
}
const [rateInLog, runtimeInLog, evaluationInLog] = [
  figuresNamed('train_samples_per_second'),
  figuresNamed('train_runtime'),
  figuresNamed('eval_runtime'),
]

function runInLog(path: string, text: string): LoggedRun {
  const rates = Array.from(text.matchAll(rateInLog), ([, rate = '']) => rate).filter(rate => Number(rate) > 0)
  // transformers 5 prints four digits while it trains, and all of them afterwards.
  const [exact, ...others] = rates.toSorted((a, b) => b.length - a.length).map(Number)
  if (exact === undefined) {
    throw refused(
      path,
      'no measured speed is in it',
      'Give a report of MemoryMark, a trainer_state.json, or a log with one train_samples_per_second.',
    )
  }
  if (others.some(other => Math.abs(other / exact - 1) > 0.0005)) {
    const count = new Set(rates.map(Number)).size
    throw refused(path, `it has ${count} different train_samples_per_second`, 'Give the log of one run alone.')
  }
  return { samplesPerSecond: withoutLoggedEvaluations(path, text, exact) }
}

/** Only with the run's time, and of the evaluations that end before it. */
function withoutLoggedEvaluations(path: string, text: string, rate: number): number {
  const before = text.slice(0, Math.max(0, text.search(rateInLog)))
  // transformers writes the time before the rate.
  const runtime = Array.from(before.matchAll(runtimeInLog), ([, taken]) => Number(taken)).at(-1)
  if (runtime === undefined) return rate
  const evaluations = Array.from(before.matchAll(evaluationInLog), ([, taken]) => Number(taken))
  const evaluating = evaluations.reduce((sum, taken) => sum + taken, 0)
  return withoutEvaluations(path, rate, runtime, evaluating)
}

function refused(file: string, message: string, fix: string): MemoryMarkError {
  const problem: Problem = { code: 'no-measurement', file, message, fix }
  return new MemoryMarkError(problem)
}
