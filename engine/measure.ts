/** Figures from trials on this machine: an assessor that sweeps each config, and runs nothing that it kept from before. */
import { createHash } from 'node:crypto'
import type { Assessed, Assessor, TrainingConfig } from './analyze.ts'
import type { AssessmentOptions } from './assess.ts'
import type { SourceFile } from './config/reading.ts'
import { MemoryMarkError } from './errors.ts'
import { derivationOf } from './estimate/error-band.ts'
import { type Gpu, gpus } from './gpus/catalogue.ts'
import { gpuNamed } from './gpus/device-name.ts'
import { brokenTrialProblem } from './probes/failure.ts'
import { canonicalJson, KeepingProbe, type TrialStore } from './probes/kept-trials.ts'
import { type Engine, openProbe, type Probe, type ProbedDevice } from './probes/probe.ts'
import type { Trial } from './probes/trial.ts'
import { DEFAULT_STEP_SIZE } from './search/grid.ts'
import { type StrategyName, strategies } from './search/strategy.ts'
import { type SweepResult, sweep } from './sweep.ts'
import { version } from './version.ts'

/** The user's own step: it runs their code, and so only with their explicit leave. */
export interface Entrypoint {
  /** `path.py:function`. */
  readonly target: string
  /** The commit that the file and all that it imports are of. */
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
  /** Caps the process, so that a larger card plays a smaller one. */
  readonly limitMemoryBytes?: number
  readonly entrypoint?: Entrypoint
  readonly kept?: TrialStore
  /** Receives what the reader must know of how the figures came to be, a sentence each. */
  readonly remark: (sentence: string) => void
  /** Receives Python's tracebacks. */
  readonly log: (text: string) => void
  readonly onTrial?: (trial: Trial, device: ProbedDevice, isKept: boolean) => void
}

/** An aborted signal ends the analysis with the signal's reason. */
export function measuring(options: MeasureOptions): Assessor {
  const known = new Map<string, Assessed>()
  return async (config, file, terms) => {
    options.signal.throwIfAborted()
    // The base branch's config, and its copies, mostly come down to the same step.
    const step = canonicalJson([config.spec, config.model.config, terms.gpu.id])
    const assessed = known.get(step) ?? (await measured(config, file, terms, options))
    known.set(step, assessed)
    return assessed
  }
}

async function measured(
  config: TrainingConfig,
  file: SourceFile,
  terms: AssessmentOptions,
  options: MeasureOptions,
): Promise<Assessed> {
  const { spec, model } = config
  await using opened = await openProbe(options.engine, {
    spec,
    config: model.config,
    footprint: terms.footprints.of(spec, model.config, terms.gpu),
    gpu: terms.gpu,
    python: options.python,
    log: options.log,
    ...(options.trialTimeoutMillis !== undefined && { trialTimeoutMillis: options.trialTimeoutMillis }),
    ...(options.limitMemoryBytes !== undefined && { limitMemoryBytes: options.limitMemoryBytes }),
    ...(options.entrypoint && { entrypoint: options.entrypoint.target }),
  })
  const gpu = cardOf(opened, terms, options.remark)
  const keeping = await keepingProbe(opened, config, file, options)
  const result = await sweep(spec, model.config, {
    ...terms,
    gpu,
    probe: keeping ?? opened,
    strategy: strategies[options.strategy],
    stepSize: terms.stepSize ?? DEFAULT_STEP_SIZE,
    signal: options.signal,
    onTrial: (trial, device) => options.onTrial?.(trial, device, keeping?.isRecalled(trial) ?? false),
  })
  const { assessment, assumptions } = assessedBy(result, opened, options.signal)
  const own = options.entrypoint
    ? [`The step is ${options.entrypoint.target}; what is modelled is modelled as ${spec.model}.`]
    : []
  return { assessment, assumptions: [...assumptions, ...recalledSentence(keeping), ...own, ...derivationOf(spec)] }
}

/** The estimate costs nothing to ask again. */
async function keepingProbe(
  probe: Probe,
  { spec, model }: TrainingConfig,
  file: SourceFile,
  { kept, now, entrypoint, limitMemoryBytes, remark }: MeasureOptions,
): Promise<KeepingProbe | undefined> {
  if (kept === undefined || probe.engine === 'estimate') return undefined
  const conditions = {
    blobSha: gitBlobSha(file.text),
    spec,
    model: model.config,
    settings: {
      memorymark: version,
      ...(limitMemoryBytes !== undefined && { limitMemoryBytes }),
      ...(entrypoint && { entrypoint: entrypoint.target, entrypointCommit: entrypoint.commitSha }),
    },
  }
  return KeepingProbe.open(probe, conditions, {
    store: kept,
    now,
    remark: why => remark(`The kept trials of ${file.path} were left aside, since ${why}.`),
  })
}

/** A real device is priced as the card that its driver names, whichever was expected. */
function cardOf(
  { engine, device }: Probe,
  { gpu, catalogue = gpus }: AssessmentOptions,
  remark: (s: string) => void,
): Gpu {
  if (engine !== 'torch') return gpu
  const found = gpuNamed(device.name)
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
        code: 'peaks-uncounted',
        message: `PyTorch counts no peak of memory on ${device.name}; ${result.largest === undefined ? 'not even one sample fits' : `batch ${result.largest} is the largest that fits`}`,
        fix: 'Sweep on a CUDA GPU, or with the trace engine.',
      })
    case 'cancelled':
      throw signal.reason
  }
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

/** The SHA-1 under which git stores the text. */
function gitBlobSha(text: string): string {
  const bytes = Buffer.from(text)
  return createHash('sha1').update(`blob ${bytes.byteLength}\0`).update(bytes).digest('hex')
}
