/** What can run a trial, behind one interface; and which of them a machine has. */
import { setImmediate } from 'node:timers/promises'
import type { Framework, TrainingSpec } from '../config/spec.ts'
import { MemoryMarkError } from '../errors.ts'
import { beyondTorch, beyondTrace } from '../estimate/error-band.ts'
import type { Footprint } from '../estimate/footprint.ts'
import { type Gpu, usableBytes } from '../gpus/catalogue.ts'
import { type ModelConfig, outsideTransformers } from '../models/architecture.ts'
import { type DeviceKind, describeMachine, gpusOf, type Machine } from './device.ts'
import { EstimateProbe } from './estimate.ts'
import { TfjsProbe } from './tfjs/probe.ts'
import type { BackendChoice } from './tfjs/protocol.ts'
import { TorchProbe } from './torch.ts'
import { TraceProbe } from './trace.ts'
import type { Provenance, Trial } from './trial.ts'

export const engines = ['estimate', 'trace', 'torch', 'tfjs'] as const
export type Engine = (typeof engines)[number]

export interface TrialOptions {
  /** Steps to run, the first being the one that allocates the optimizer's state; 2 unless told. More give a time with a spread. */
  readonly steps?: number
  /** Ends the trial, and whatever process runs it. */
  readonly signal?: AbortSignal
}

/** The device that trials answer for. */
export interface ProbedDevice {
  readonly name: string
  readonly totalBytes: number
  /** Total − CUDA context. */
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
  readonly footprint: Footprint
  /** The card to answer for; a real device answers for itself. */
  readonly gpu: Gpu
  /** The interpreter's command. */
  readonly python: string
  /** What the machine has, where that is known already. */
  readonly machine?: Machine
  /** The device that `torch` shall take; the best one unless told. */
  readonly deviceKind?: DeviceKind
  /** Caps the process, so that a larger card plays a smaller one. */
  readonly limitMemoryBytes?: number
  /** The user's own step, `path.py:function`: only with their explicit leave, since it runs their code. */
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
  /** The folder whose node_modules hold `@tensorflow/tfjs-node-gpu` or `@tensorflow/tfjs-node`; MemoryMark's own unless told. */
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

async function bestEngine({ spec, config, python, machine }: ProbeContext): Promise<Engine> {
  if (spec.framework === 'tensorflow.js') return 'tfjs'
  if (beyondTorch(spec) !== undefined || outsideTransformers(config) !== undefined) return 'estimate'
  const found = machine ?? (await describeMachine(python))
  const isLacking = spec.quantization !== undefined && found.kind === 'python' && !found.hasBitsandbytes
  const best = isLacking ? 'estimate' : engineOn(found)
  // The trace is of one GPU, and several are not measured on fewer.
  return spec.gpus === 1 || (best === 'torch' && gpusOf(found) >= spec.gpus) ? best : 'estimate'
}

/** Nothing is called traced or measured that was another step. */
function beyondEngine(engine: Engine, { spec, config }: ProbeContext): string | undefined {
  const source = outsideTransformers(config)
  const outside = source && (source === 'ultralytics' ? "Ultralytics' models" : 'code from beside the checkpoint')
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

/** The engine that `auto` takes for PyTorch: a real GPU before PyTorch's graph, and that before our model of it. */
export function engineOn(machine: Machine): Exclude<Engine, 'tfjs'> {
  if (machine.kind === 'no-python') return 'estimate'
  return machine.device.kind === 'cuda' || machine.device.kind === 'mps' ? 'torch' : 'trace'
}

class EstimatingProbe implements Probe {
  readonly engine = 'estimate'
  readonly provenance = 'estimated'
  readonly device: ProbedDevice
  readonly #probe: EstimateProbe

  constructor({ footprint, gpu, limitMemoryBytes, entrypoint }: ProbeContext) {
    if (entrypoint !== undefined) throw needsPython()
    const capped = { ...gpu, totalBytes: Math.min(gpu.totalBytes, limitMemoryBytes ?? Number.POSITIVE_INFINITY) }
    this.#probe = new EstimateProbe(footprint, capped)
    this.device = { name: gpu.name, totalBytes: capped.totalBytes, usableBytes: usableBytes(capped), software: '' }
  }

  async trial(microBatch: number): Promise<Trial> {
    // A sweep of many sizes would keep signals and messages out until its end.
    await setImmediate()
    return this.#probe.trial(microBatch)
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function notCovered(engine: Engine, what: string): MemoryMarkError {
  return new MemoryMarkError({
    code: 'beyond-engine',
    field: '--engine',
    message: `the ${engine} engine does not run ${what}`,
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

/** The same model takes almost ten times the memory in TensorFlow.js: neither framework's engines answer for the other. */
function otherFramework(engine: Engine, framework: Framework): MemoryMarkError {
  return new MemoryMarkError({
    code: 'engine-of-other-framework',
    field: '--engine',
    message: `the ${engine} engine cannot answer for a config of ${framework}`,
    fix: `Use --engine auto${engine === 'tfjs' ? ', or --framework tensorflow.js where the code is in TensorFlow.js' : ''}.`,
  })
}
