/** `memorymark sweep`: finds the largest batch by trials and prints the same report as `check`. */
import { type AnalyzeOptions, assessmentOptionsFor } from '../engine/analyze.ts'
import { optionsOnGpu } from '../engine/asked-gpu.ts'
import type { Assessment, AssessmentOptions } from '../engine/assess.ts'
import { MemoryMarkError } from '../engine/base/errors.ts'
import { INTERRUPTED, Interruption } from '../engine/base/interruption.ts'
import { formatGib } from '../engine/base/units.ts'
import { version } from '../engine/base/version.ts'
import type { CalibrationRun } from '../engine/calibration/file.ts'
import { sentencesOn as sentencesOnCalibration } from '../engine/calibration/known.ts'
import { sentencesOn as sentencesOnAsked } from '../engine/config/job/request.ts'
import { findGpuAmong, type Gpu } from '../engine/gpus/catalogue.ts'
import { sentencesOn } from '../engine/gpus/described.ts'
import { deviceKinds } from '../engine/probes/device-kind.ts'
import { engines } from '../engine/probes/engines.ts'
import { brokenTrialProblem } from '../engine/probes/failure.ts'
import { openProbe } from '../engine/probes/open-probe.ts'
import type { Probe, ProbedDevice } from '../engine/probes/probe.ts'
import type { Trial } from '../engine/probes/trial.ts'
import { trialLine } from '../engine/render/trial-line.ts'
import { type ConfigResult, REPORT_SCHEMA, type Report } from '../engine/report/schema.ts'
import { DEFAULT_STEP_SIZE } from '../engine/search/grid.ts'
import { strategies, strategyNames } from '../engine/search/strategy.ts'
import { type RepositorySettings, settingsFor } from '../engine/settings/settings.ts'
import type { Subject } from '../engine/subject.ts'
import { largestWords, type SizesOnly, type SweepResult, sweep as sweepSpec } from '../engine/sweep.ts'
import type { TrainingSpec } from '../engine/training/spec.ts'
import type { Policy } from '../engine/verdict/policy.ts'
import { memoryFlag, numberFlag, oneOf, parseFlags } from './arguments.ts'
import { writtenTo } from './calibrate.ts'
import { calibrated, calibrationLines, calibrationPathOf, keepRuns } from './calibration.ts'
import { openEngine } from './engine.ts'
import type { ExitCode } from './exit-code.ts'
import { type JudgingFlags, judgingOf, judgingOptions } from './judging.ts'
import { complain, print, printJson, printReport } from './print.ts'
import { SweepProgress } from './progress.ts'
import { pythonCommand, pythonOptions } from './python.ts'
import { measuredRuns } from './run-sources.ts'
import { settingsOrThrow } from './settings.ts'
import { type SpecFlags, specOptions } from './spec-flags.ts'
import { readSubject } from './subject.ts'

const MAX_STEP_SIZE = 1_000

export async function sweep(args: string[]): Promise<ExitCode> {
  const { values, positionals } = parseFlags(args, {
    ...specOptions,
    engine: { type: 'string' },
    strategy: { type: 'string' },
    'step-size': { type: 'string' },
    'limit-memory': { type: 'string' },
    device: { type: 'string' },
    'allow-entrypoint': { type: 'string' },
    ...pythonOptions,
    ...judgingOptions,
    calibrate: { type: 'boolean' },
    json: { type: 'boolean' },
  })
  const engine = oneOf('--engine', values.engine, ['auto', ...engines]) ?? 'auto'
  const strategy = strategies[oneOf('--strategy', values.strategy, strategyNames) ?? 'predict-verify']
  const stepSize = numberFlag('--step-size', values['step-size'], { integer: true, max: MAX_STEP_SIZE })
  const deviceKind = oneOf('--device', values.device, deviceKinds)
  const limitMemoryBytes = memoryFlag('--limit-memory', values['limit-memory'])
  const entrypoint = values['allow-entrypoint']
  if (entrypoint !== undefined && values.calibrate) throw contradictingEntrypoint()
  const { subject, settings, judging } = await read(positionals, values)
  const { options: planned, asked } = optionsOnGpu(subject.path, judging, subject.askedCard)
  const progress = new SweepProgress()
  using interruption = new Interruption()

  await using probe = await openProbe(engine, {
    spec: subject.spec,
    config: subject.model.config,
    footprints: planned.footprints,
    gpu: planned.gpu,
    python: pythonCommand(values.python),
    log: complain,
    ...(deviceKind && { deviceKind }),
    ...(limitMemoryBytes && { limitMemoryBytes }),
    ...(entrypoint && { entrypoint }),
  })
  const options = optionsOn(probe, subject.path, judging, planned)
  const result = await sweepSpec(subject.spec, subject.model.config, {
    ...options,
    probe,
    strategy,
    stepSize: stepSize ?? options.stepSize ?? DEFAULT_STEP_SIZE,
    signal: interruption.signal,
    onStart: progress.started,
    onTrial: progress.tried,
  })
  progress.ended()
  if (result.kind === 'cancelled') return interrupted(result.trials, probe)
  if (result.kind === 'sizes-only') return printSizes(result, subject.spec, probe.device, values.json ?? false)
  const assumptions = [
    ...(entrypoint === undefined
      ? []
      : [`The step is ${entrypoint}; modelled figures are those of ${subject.spec.model}.`]),
    ...(options === planned ? sentencesOnAsked(asked) : []),
    ...sentencesOn(options.gpu),
  ]
  const report = reportOf(configResult(subject, result, assumptions), options.policy)
  const exitCode = printResult(report, values.json ?? false)
  if (values.calibrate) await keepMeasured(report, subject, options.gpu, settings)
  return exitCode
}

/** Adds the measured run to the team's file, and says so on stderr. */
async function keepMeasured(report: Report, { model }: Subject, gpu: Gpu, settings: RepositorySettings): Promise<void> {
  const measured = measuredRuns(report)
  if (measured.length === 0) return complain('Nothing was timed on a GPU, so nothing is calibrated.')
  await using engine = openEngine()
  const runs: CalibrationRun[] = []
  for (const run of measured) {
    const whole = { ...run, gpu, config: model.config, from: 'memorymark sweep' }
    runs.push(await calibrated(whole, engine, new Date()))
  }
  const path = calibrationPathOf(settings)
  const all = await keepRuns(path, runs, async run => run)
  complain([...calibrationLines(all), writtenTo(path, all.length, settings)].join('\n'))
}

function contradictingEntrypoint(): MemoryMarkError {
  return new MemoryMarkError({
    code: 'usage',
    field: '--calibrate',
    message: 'what a step of your own measures says nothing of the steps that are estimated',
    fix: 'Use one of --calibrate and --allow-entrypoint.',
  })
}

/** Ends the limited process before trials begin, because they need the memory. */
async function read(positionals: readonly string[], values: SpecFlags & JudgingFlags) {
  await using engine = openEngine()
  const settings = await settingsOrThrow(values, engine)
  const judging = judgingOf(values, settings)
  const gpu = judging.gpu ?? settingsFor(positionals[0] ?? '', settings).gpu
  const subject = await readSubject(positionals, values, engine, { bare: 'usual', gpu })
  return { subject, settings, judging }
}

/** The GPU that is priced: the user's, else the one that the driver names. */
function optionsOn(
  { engine, device }: Probe,
  path: string,
  judging: AnalyzeOptions,
  planned: AssessmentOptions,
): AssessmentOptions {
  const card =
    engine === 'torch' && judging.gpu === undefined ? findGpuAmong(planned.catalogue ?? [], device.name) : undefined
  return card === undefined ? planned : assessmentOptionsFor(path, { ...judging, gpu: card })
}

function interrupted(trials: readonly Trial[], probe: Probe): ExitCode {
  const fitting = trials.filter(({ outcome }) => outcome.kind === 'fits').map(({ microBatch }) => microBatch)
  const known = fitting.length === 0 ? 'No batch size is known to fit.' : `Batch ${Math.max(...fitting)} fits.`
  print(
    [...trials.map((trial, index) => trialLine(trial, probe.device, index + 1)), `Interrupted. ${known}`].join('\n'),
  )
  return INTERRUPTED
}

const sizesOnlyBecause: Readonly<Record<SizesOnly['why'], string>> = {
  'no-peaks': 'PyTorch does not report peak memory on this device, so waste and cost are left out.',
  'other-framework': 'The memory breakdown and speed are modelled for PyTorch only, so waste and cost are left out.',
}

function printSizes(
  { why, largest, trials }: SizesOnly,
  spec: TrainingSpec,
  device: ProbedDevice,
  asJson: boolean,
): ExitCode {
  const sizes = () =>
    `${largestWords(largest, spec)} in ${formatGib(device.usableBytes)} of ${device.name}. ${sizesOnlyBecause[why]}`
  if (asJson) printJson({ device, largestBatch: largest ?? null, trials })
  else print(sizes())
  return 0
}

function configResult(
  { path, training, assumptions: taken }: Subject,
  result: Extract<SweepResult, { kind: 'assessed' | 'broken-off' }>,
  assumptions: readonly string[],
): ConfigResult {
  switch (result.kind) {
    case 'assessed':
      return {
        status: 'analysed',
        path,
        ...(training && { training }),
        dialect: 'command line',
        ...result.assessment,
        assumptions: [...taken, ...result.assumptions, ...assumptions, ...calibratedSentences(result.assessment)],
      }
    case 'broken-off':
      return {
        status: 'not-analysed',
        path,
        ...(training && { training }),
        problems: [brokenTrialProblem(result.trial)],
      }
  }
}

function calibratedSentences({ calibration, gpu }: Assessment): string[] {
  return calibration ? sentencesOnCalibration(calibration, gpu) : []
}

function reportOf(config: ConfigResult, policy: Policy): Report {
  return {
    schema: REPORT_SCHEMA,
    toolVersion: version,
    createdAt: new Date().toISOString(),
    policy,
    configs: [config],
  }
}

function printResult(report: Report, asJson: boolean): ExitCode {
  const [config] = report.configs
  if (config === undefined) throw new Error('a sweep is about one config')
  // Printed below the figures: which are measured and which modelled.
  const sentences = config.status === 'analysed' ? config.assumptions : []
  if (asJson) printJson(report)
  else printReport(report, { sentences })
  if (config.status === 'not-analysed') return 2
  return config.verdict.state === 'blocked' ? 1 : 0
}
