/** Runs one analysis: reads the subject, opens the probe, sweeps, and emits events. */
import { assessmentOptionsFor } from '../engine/analyze.ts'
import { MemoryMarkError, type Problem } from '../engine/base/errors.ts'
import { version } from '../engine/base/version.ts'
import { sentencesOn as sentencesOnCalibration } from '../engine/calibration/known.ts'
import { findGpuAmong, type Gpu, gpus } from '../engine/gpus/catalogue.ts'
import { sentencesOn } from '../engine/gpus/described.ts'
import type { Machine } from '../engine/probes/device.ts'
import type { Engine } from '../engine/probes/engines.ts'
import { brokenTrialProblem } from '../engine/probes/failure.ts'
import { openProbe } from '../engine/probes/open-probe.ts'
import type { Probe } from '../engine/probes/probe.ts'
import type { Trial } from '../engine/probes/trial.ts'
import { type AnalysedConfig, REPORT_SCHEMA, type Report } from '../engine/report/schema.ts'
import { DEFAULT_STEP_SIZE } from '../engine/search/grid.ts'
import { strategies } from '../engine/search/strategy.ts'
import type { RepositorySettings } from '../engine/settings/settings.ts'
import { type SweepResult, sweep } from '../engine/sweep.ts'
import type { Policy } from '../engine/verdict/policy.ts'
import { type AnalysisRequest, type Ending, MAX_TRIALS, type Progress } from './analysis.ts'
import { withLevers } from './levers.ts'
import { withOverStep } from './over-step.ts'
import { type ModelPlaces, placeOf, readSubject, type Subject } from './subject.ts'

export interface RunContext {
  /** The engine if the request leaves it open. */
  readonly engine: Engine | 'auto'
  readonly machine: Machine
  /** The GPU if neither the request nor the machine has one. */
  readonly gpu: Gpu
  /** The team's GPUs, prices, policy and runs. */
  readonly team: RepositorySettings
  /** The interpreter's command. */
  readonly python: string
  readonly models: ModelPlaces
  readonly now: () => Date
  readonly signal: AbortSignal
  readonly tell: (progress: Progress) => void
  /** Receives Python's tracebacks, for the server's operator and not for clients. */
  readonly log: (text: string) => void
}

/** Never throws for errors in the request. An aborted signal ends it soon, with all processes. */
export async function runAnalysis(request: AnalysisRequest, context: RunContext): Promise<Ending> {
  const reading = await readSubject(request, context.models, gpuFor(request, context))
  if (context.signal.aborted) return { kind: 'cancelled' }
  if (reading.kind === 'refused') return failed(...reading.problems)
  try {
    return await sweepSubject(reading.subject, request, context)
  } catch (error) {
    if (!(error instanceof MemoryMarkError)) throw error
    // An engine that was cancelled during its start has not failed.
    return context.signal.aborted ? { kind: 'cancelled' } : failed(error.problem)
  }
}

async function sweepSubject(subject: Subject, request: AnalysisRequest, context: RunContext): Promise<Ending> {
  const { spec, model } = subject
  const { tell, now, python, log, team } = context
  const { pricePerHourUsd, hoursPerRun, runsPerYear } = request
  const options = assessmentOptionsFor(subject.path, {
    now: now(),
    settings: team,
    gpu: gpuFor(request, context),
    ...(pricePerHourUsd !== undefined && { pricePerHourUsd }),
    ...(hoursPerRun !== undefined && { hoursPerRun }),
    ...(runsPerYear !== undefined && { runsPerYear }),
  })
  const { gpu, footprints } = options
  await using probe = await openProbe(request.engine === 'auto' ? context.engine : request.engine, {
    spec,
    config: model.config,
    footprints,
    gpu,
    python,
    machine: machineFor(request, context),
    signal: context.signal,
    log,
  })
  refuseOtherCard(request, probe, team)
  tell({ kind: 'probing', probing: { engine: probe.engine, provenance: probe.provenance, device: probe.device, spec } })
  const limit = new TrialLimit()
  const result = await sweep(spec, model.config, {
    ...options,
    probe,
    strategy: strategies[request.strategy],
    stepSize: request.stepSize ?? options.stepSize ?? DEFAULT_STEP_SIZE,
    signal: AbortSignal.any([context.signal, limit.signal]),
    onStart: microBatch => tellTrying(microBatch, probe, tell),
    onTrial: trial => {
      tell({ kind: 'trial', trial })
      limit.count()
    },
  })
  if (limit.signal.aborted) return failed(tooManyTrials)
  if (result.kind !== 'assessed') return brokenOff(result)
  const config = withOverStep(analysed(subject, result, gpu), model.config, { gpu, footprints })
  const advised = await withLevers(config, request, { gpu, footprints, models: context.models })
  return { kind: 'done', report: reportOf(advised, options.policy, now()) }
}

/** Not for estimates, which are finished before anybody could read the event. */
function tellTrying(microBatch: number, probe: Probe, tell: RunContext['tell']): void {
  if (probe.engine !== 'estimate') tell({ kind: 'log', text: `Trying batch ${microBatch}` })
}

type Assessed = Extract<SweepResult, { kind: 'assessed' }>

function brokenOff(result: Exclude<SweepResult, Assessed>): Ending {
  switch (result.kind) {
    case 'broken-off':
      return failed(brokenTrialProblem(result.trial))
    case 'sizes-only':
      return failed(noMemoryCount(result.trials))
    case 'cancelled':
      return { kind: 'cancelled' }
  }
}

function analysed(subject: Subject, { assessment, assumptions }: Assessed, gpu: Gpu): AnalysedConfig {
  const { calibration } = assessment
  const calibrated = calibration ? sentencesOnCalibration(calibration, assessment.gpu) : []
  return {
    status: 'analysed',
    ...placeOf(subject),
    ...assessment,
    assumptions: [...subject.assumptions, ...assumptions, ...sentencesOn(gpu), ...calibrated],
  }
}

function reportOf(config: AnalysedConfig, policy: Policy, now: Date): Report {
  return {
    schema: REPORT_SCHEMA,
    toolVersion: version,
    createdAt: now.toISOString(),
    policy,
    configs: [config],
  }
}

function namedGpu({ gpu }: AnalysisRequest): Gpu | undefined {
  return gpus.find(({ id }) => id === gpu)
}

/** This machine's GPU, as the team or the catalogue describes it. */
function ownGpu({ machine, team }: RunContext): Gpu | undefined {
  if (machine.kind !== 'python' || machine.device.kind !== 'cuda') return undefined
  return findGpuAmong(team.gpus, machine.device.name)
}

function gpuFor(request: AnalysisRequest, context: RunContext): Gpu {
  return namedGpu(request) ?? ownGpu(context) ?? context.gpu
}

/** For a GPU that this machine lacks, it counts as a machine without a GPU. */
function machineFor(request: AnalysisRequest, context: RunContext): Machine {
  const { machine } = context
  const named = namedGpu(request)
  const isOther = named !== undefined && named.id !== ownGpu(context)?.id
  return isOther && machine.kind === 'python' ? { ...machine, device: { kind: 'none' } } : machine
}

/** A measurement on this machine's card is never shown as another's. */
function refuseOtherCard(request: AnalysisRequest, { engine, device }: Probe, team: RepositorySettings): void {
  const named = namedGpu(request)
  const own = engine === 'torch' ? findGpuAmong(team.gpus, device.name) : undefined
  if (named === undefined || own === undefined || own.id === named.id) return
  throw new MemoryMarkError({
    code: 'other-gpu',
    field: 'gpu',
    message: `the torch engine measures this machine's ${device.name}, not the ${named.name}`,
    fix: 'Omit gpu, or use the auto, trace or estimate engine.',
  })
}

/** Ends a sweep that tries more sizes than a report can hold. */
class TrialLimit {
  readonly #controller = new AbortController()
  #count = 0

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  count(): void {
    this.#count++
    if (this.#count > MAX_TRIALS) this.#controller.abort()
  }
}

function failed(...problems: readonly Problem[]): Ending {
  return { kind: 'failed', problems: [...problems] }
}

const tooManyTrials: Problem = {
  code: 'too-many-trials',
  field: 'strategy',
  message: `the sweep would take more than ${MAX_TRIALS.toLocaleString('en-US')} trials`,
  fix: 'Use the predict-verify strategy, or a larger stepSize.',
}

function noMemoryCount(trials: readonly Trial[]): Problem {
  const fitting = trials.filter(({ outcome }) => outcome.kind === 'fits').map(({ microBatch }) => microBatch)
  const known = fitting.length === 0 ? 'no size fits' : `batch ${Math.max(...fitting)} fits`
  return {
    code: 'no-memory-count',
    message: `${known}, but PyTorch does not report peak memory on this device`,
    fix: 'Use the trace or estimate engine.',
  }
}
