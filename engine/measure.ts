/** An assessor that measures: it sweeps each config on this machine and reuses the trials that it has kept. */
import type { Assessed, Assessor, TrainingConfig } from './analyze.ts'
import type { AssessmentOptions } from './assess.ts'
import { MemoryMarkError } from './base/errors.ts'
import { version } from './base/version.ts'
import { gitBlobSha } from './config/blob-sha.ts'
import type { SourceFile } from './config/reading.ts'
import { derivationOf } from './estimate/error-band.ts'
import { findGpuAmong, type Gpu, gpus } from './gpus/catalogue.ts'
import { describeMachine, type Machine } from './probes/device.ts'
import type { Engine } from './probes/engines.ts'
import { brokenTrialProblem } from './probes/failure.ts'
import { canonicalJson, KeepingProbe, type TrialStore } from './probes/kept-trials.ts'
import { openProbe } from './probes/open-probe.ts'
import type { Probe, ProbedDevice } from './probes/probe.ts'
import type { Trial } from './probes/trial.ts'
import { DEFAULT_STEP_SIZE } from './search/grid.ts'
import { type StrategyName, strategies } from './search/strategy.ts'
import { largestWords, type SizesOnly, type SweepResult, sweep } from './sweep.ts'
import type { TrainingSpec } from './training/spec.ts'

/** The user's own training step. Sweeping it runs their code, so it is run only if they name it. */
export interface Entrypoint {
  /** `path.py:function`, as the user wrote it. */
  readonly name: string
  /** The same with an absolute path. */
  readonly target: string
  /** The commit of the file and of everything that it imports. */
  readonly commitSha: string
}

export interface MeasureOptions {
  readonly engine: Engine | 'auto'
  readonly strategy: StrategyName
  /** The interpreter's command. */
  readonly python: string
  readonly now: Date
  readonly signal: AbortSignal
  readonly trialTimeoutMillis?: number
  readonly entrypoint?: Entrypoint
  readonly kept?: TrialStore
  /** Receives sentences for the report's reader on how the figures were obtained. */
  readonly remark: (sentence: string) => void
  /** Receives Python's tracebacks. */
  readonly log: (text: string) => void
  readonly onTrial?: (trial: Trial, device: ProbedDevice, isKept: boolean) => void
}

/** An aborted signal ends the analysis with the signal's reason. */
export function measuring(options: MeasureOptions): Assessor {
  const known = new Map<string, Assessed>()
  let machine: Promise<Machine> | undefined
  return async (config, file, terms) => {
    options.signal.throwIfAborted()
    if (options.engine === 'auto') machine ??= describeMachine(options.python, options.signal)
    // The base branch's config and copies of a config mostly lead to the same step, which is measured once.
    const { gpu, hoursPerRun, runsPerYear } = terms
    const question = canonicalJson([config.spec, config.model.config, gpu, hoursPerRun, runsPerYear])
    const assessed =
      known.get(question) ?? (await measured(config, file, terms, { ...options, machine: await machine }))
    known.set(question, assessed)
    return assessed
  }
}

type MachineOptions = MeasureOptions & { readonly machine: Machine | undefined }

async function measured(
  config: TrainingConfig,
  file: SourceFile,
  terms: AssessmentOptions,
  options: MachineOptions,
): Promise<Assessed> {
  const { spec, model } = config
  const { strategy, signal, entrypoint, onTrial } = options
  await using opened = await openFor(config, terms, options)
  const keeping = await keepingProbe(opened, config, file, options)
  const result = await sweep(spec, model.config, {
    ...terms,
    gpu: cardOf(opened, terms, options.remark),
    probe: keeping ?? opened,
    strategy: strategies[strategy],
    stepSize: terms.stepSize ?? DEFAULT_STEP_SIZE,
    signal,
    onTrial: (trial, device) => onTrial?.(trial, device, keeping?.isRecalled(trial) ?? false),
  })
  const { assessment, assumptions } = assessedBy(result, spec, opened, signal)
  const own = entrypoint ? [`The step is ${entrypoint.name}; what is modelled is modelled as ${spec.model}.`] : []
  const derived = opened.provenance === 'measured' ? [] : derivationOf(spec, model.config)
  return { assessment, assumptions: [...assumptions, ...recalledSentence(keeping), ...own, ...derived] }
}

function openFor({ spec, model }: TrainingConfig, terms: AssessmentOptions, options: MachineOptions): Promise<Probe> {
  const { engine, python, signal, log, machine, trialTimeoutMillis, entrypoint } = options
  return openProbe(engine, {
    spec,
    config: model.config,
    footprints: terms.footprints,
    gpu: terms.gpu,
    python,
    signal,
    log,
    ...(machine && { machine }),
    ...(trialTimeoutMillis !== undefined && { trialTimeoutMillis }),
    ...(entrypoint && { entrypoint: entrypoint.target }),
  })
}

/** A probe that reuses kept trials. Estimates are not kept, since they cost nothing to repeat. */
async function keepingProbe(
  probe: Probe,
  { spec, model }: TrainingConfig,
  file: SourceFile,
  { kept, now, entrypoint, remark }: MeasureOptions,
): Promise<KeepingProbe | undefined> {
  if (kept === undefined || probe.engine === 'estimate') return undefined
  const conditions = {
    blobSha: await gitBlobSha(file.text),
    spec,
    model: model.config,
    settings: {
      memorymark: version,
      ...(entrypoint && { entrypoint: entrypoint.name, entrypointCommit: entrypoint.commitSha }),
    },
  }
  return KeepingProbe.open(probe, conditions, {
    store: kept,
    now,
    remark: why => remark(`The kept trials of ${file.path} were left aside, since ${why}.`),
  })
}

/** A measured device is priced as the catalogue's GPU with its driver's name, whichever GPU was expected. */
function cardOf(
  { engine, device }: Probe,
  { gpu, catalogue = gpus }: AssessmentOptions,
  remark: (s: string) => void,
): Gpu {
  if (engine !== 'torch') return gpu
  const found = findGpuAmong(catalogue, device.name)
  if (found === undefined) {
    remark(`The catalogue lacks this machine's ${device.name}; it is priced as the ${gpu.name}.`)
    return gpu
  }
  if (found.id === gpu.id) return gpu
  remark(`This machine has the ${device.name}, not the ${gpu.name} that was expected; the figures are its own.`)
  return catalogue.find(({ id }) => id === found.id) ?? found
}

function assessedBy(
  result: SweepResult,
  spec: TrainingSpec,
  { device }: Probe,
  signal: AbortSignal,
): Extract<SweepResult, { kind: 'assessed' }> {
  switch (result.kind) {
    case 'assessed':
      return result
    case 'broken-off':
      throw new MemoryMarkError(brokenTrialProblem(result.trial))
    case 'sizes-only':
      throw new MemoryMarkError({
        code: 'sizes-only',
        message: `${largestWords(result.largest, spec)} on ${device.name}, and ${sizesOnlyBecause[result.why]}`,
        fix: 'Sweep on a CUDA GPU with PyTorch, or leave this config to the check.',
      })
    case 'cancelled':
      throw signal.reason
  }
}

const sizesOnlyBecause: Readonly<Record<SizesOnly['why'], string>> = {
  'no-peaks': 'PyTorch counts no peak of memory there',
  'other-framework': 'speed, and what uses the memory, are modelled for PyTorch alone',
}

function recalledSentence(keeping: KeepingProbe | undefined): string[] {
  const recalled = keeping?.recalled
  if (keeping === undefined || recalled === undefined) return []
  const { count, day } = recalled
  const trials = count === 1 ? 'One trial was' : `${count} trials were`
  return [
    `${trials} ${keeping.provenance} on ${day} with the same config, device, driver and libraries, and not run again.`,
  ]
}
