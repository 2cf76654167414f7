/** What can run a trial, behind one interface. */
import type { FootprintCache } from '../estimate/footprint-cache.ts'
import type { Gpu } from '../gpus/catalogue.ts'
import type { ModelConfig } from '../models/architecture.ts'
import type { TrainingSpec } from '../training/spec.ts'
import type { Machine } from './device.ts'
import type { DeviceKind } from './device-kind.ts'
import type { Engine } from './engines.ts'
import type { BackendChoice } from './tfjs/protocol.ts'
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
