/** What can run a trial, behind one interface; and which of them a machine has. */
import { setImmediate } from 'node:timers/promises'
import { MemoryMarkError } from '../base/errors.ts'
import type { Framework } from '../config/spec/choices.ts'
import type { TrainingSpec } from '../config/spec/spec.ts'
import { beyondTorch, beyondTrace } from '../estimate/error-band.ts'
import type { FootprintCache } from '../estimate/footprint-cache.ts'
import { type Gpu, usableBytes } from '../gpus/catalogue.ts'
import { familyOf, type ModelConfig } from '../models/architecture.ts'
import { type DeviceKind, describeMachine, gpusOf, type Machine } from './device.ts'
import type { Engine } from './engines.ts'
import { EstimateProbes } from './estimate.ts'
import { TfjsProbe } from './tfjs/probe.ts'
import type { BackendChoice } from './tfjs/protocol.ts'
import { TorchProbe } from './torch.ts'
import { TraceProbe } from './trace.ts'
import type { Provenance, Trial } from './trial.ts'

export interface TrialOptions {
  /** Steps to run, the first of which allocates the optimizer state; 2 by default. More give a time with a spread. */
  readonly steps?: number
  /** Beside the gradients of an earlier micro-batch, as under gradient accumulation; alone by default. */
  readonly accumulates?: boolean
  /** Ends the trial, and whatever process runs it. */
  readonly signal?: AbortSignal
}

/** The device that trials describe. */
export interface ProbedDevice {
  readonly name: string
  readonly totalBytes: number
  /** Total − CUDA context − what other processes hold. A trial may lower it: training steps load kernels into the context. */
  readonly usableBytes: number
  /** Versions and driver behind the answers, in words; empty for the estimate. */
  readonly software: string
}

/** Runs one training spec at any micro-batch. Disposing of it ends every process it started. */
export interface Probe extends AsyncDisposable {
  readonly engine: Engine
  readonly provenance: Provenance
  readonly device: ProbedDevice
  /** One at a time. Every failure is an outcome; only a bug of ours throws. */
  trial(microBatch: number, options?: TrialOptions): Promise<Trial>
}

export interface ProbeContext {
  readonly spec: TrainingSpec
  readonly config: ModelConfig
  /** Kept from earlier estimates for reuse. */
  readonly footprints: FootprintCache
  /** The card to emulate; a real device stands for itself. */
  readonly gpu: Gpu
  /** The interpreter's command. */
  readonly python: string
  /** What the machine has, where that is known already. */
  readonly machine?: Machine
  /** The device for `torch`; the best one by default. */
  readonly deviceKind?: DeviceKind
  /** Caps the process's memory, so that a larger card emulates a smaller one. */
  readonly limitMemoryBytes?: number
  /** The user's own step, `path.py:function`: only with their explicit permission, because it runs their code. */
  readonly entrypoint?: string
  readonly trialTimeoutMillis?: number
  readonly tfjs?: TfjsOptions
  /** Ends what is being opened; a trial has a signal of its own. */
  readonly signal?: AbortSignal
  /** Receives Python's tracebacks. */
  readonly log?: (text: string) => void
}

export interface TfjsOptions {
  readonly backend?: BackendChoice
  /** The folder whose node_modules hold `@tensorflow/tfjs-node-gpu` or `@tensorflow/tfjs-node`; MemoryMark's own by default. */
  readonly nativeFolder?: string
}

type Opener = (context: ProbeContext) => Promise<Probe>

const openers: Record<Engine, Opener> = {
  estimate: async context => new EstimatingProbe(context),
  trace: TraceProbe.open,
  torch: TorchProbe.open,
  tfjs: TfjsProbe.open,
}

/** Throws a MemoryMarkError where the machine lacks what the engine needs. */
export async function openProbe(engine: Engine | 'auto', context: ProbeContext): Promise<Probe> {
  const { framework } = context.spec
  const taken = engine === 'auto' ? await bestEngine(context) : engine
  if ((taken === 'tfjs') !== (framework === 'tensorflow.js')) throw otherFramework(taken, framework)
  const beyond = beyondEngine(taken, context)
  if (beyond !== undefined) throw notCovered(taken, beyond)
  return openers[taken](context)
}

async function bestEngine({ spec, config, python, machine, log }: ProbeContext): Promise<Engine> {
  if (spec.framework === 'tensorflow.js') return 'tfjs'
  if (beyondTorch(spec) !== undefined || familyOf(config).codeFrom !== undefined) return 'estimate'
  const found = machine ?? (await describeMachine(python))
  if (found.kind === 'python' && found.device.kind === 'broken') log?.(notStarted(found.device.why))
  const isLacking = spec.quantization !== undefined && found.kind === 'python' && !found.hasBitsandbytes
  const best = isLacking ? 'estimate' : engineOn(found)
  // The trace covers one GPU, and a multi-GPU config is not measured on fewer GPUs.
  return spec.gpus === 1 || (best === 'torch' && gpusOf(found) >= spec.gpus) ? best : 'estimate'
}

function notStarted(why: string): string {
  return `PyTorch cannot start this machine's GPU, so that nothing is measured: ${why}`
}

/** A figure from a different step must not be called traced or measured. */
function beyondEngine(engine: Engine, { spec, config }: ProbeContext): string | undefined {
  const source = familyOf(config).codeFrom
  const outside =
    source && (source === 'ultralytics' ? "Ultralytics' models" : 'models whose code is published with the checkpoint')
  switch (engine) {
    case 'trace':
      return outside ?? beyondTrace(spec)
    case 'torch':
      return outside ?? beyondTorch(spec)
    case 'estimate':
    case 'tfjs':
      return undefined
  }
}

/** The engine that `auto` uses for PyTorch: a real GPU if there is one, else PyTorch's graph, else our model of it. */
export function engineOn(machine: Machine): Exclude<Engine, 'tfjs'> {
  if (machine.kind === 'no-python') return 'estimate'
  return machine.device.kind === 'cuda' || machine.device.kind === 'mps' ? 'torch' : 'trace'
}

class EstimatingProbe implements Probe {
  readonly engine = 'estimate'
  readonly provenance = 'estimated'
  readonly device: ProbedDevice
  readonly #probes: EstimateProbes

  constructor({ spec, config, footprints, gpu, limitMemoryBytes, entrypoint }: ProbeContext) {
    if (entrypoint !== undefined) throw needsPython()
    const capped = { ...gpu, totalBytes: Math.min(gpu.totalBytes, limitMemoryBytes ?? Number.POSITIVE_INFINITY) }
    this.#probes = new EstimateProbes(spec, config, capped, footprints)
    this.device = { name: gpu.name, totalBytes: capped.totalBytes, usableBytes: usableBytes(capped), software: '' }
  }

  async trial(microBatch: number, { accumulates = false }: TrialOptions = {}): Promise<Trial> {
    // Otherwise a sweep over many sizes would block signals and messages until it ends.
    await setImmediate()
    return this.#probes.of(accumulates).trial(microBatch)
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function notCovered(engine: Engine, what: string): MemoryMarkError {
  return new MemoryMarkError({
    code: 'beyond-engine',
    field: '--engine',
    message: `the ${engine} engine does not support ${what}`,
    fix: 'Use --engine estimate.',
  })
}

function needsPython(): MemoryMarkError {
  return new MemoryMarkError({
    code: 'entrypoint-needs-torch',
    field: '--allow-entrypoint',
    message: 'only the torch engine runs an entry point',
    fix: 'Use --engine torch.',
  })
}

/** The same model needs almost ten times the memory in TensorFlow.js, so one framework's engines cannot stand in for the other's. */
function otherFramework(engine: Engine, framework: Framework): MemoryMarkError {
  return new MemoryMarkError({
    code: 'engine-of-other-framework',
    field: '--engine',
    message: `the ${engine} engine cannot run a ${framework} config`,
    fix: `Use --engine auto${engine === 'tfjs' ? ', or --framework tensorflow.js if the training code is in TensorFlow.js' : ''}.`,
  })
}
