/** The training step in TensorFlow.js: on the GPU with the native package, or simulated exactly without it. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { usableBytes } from '../../gpus/catalogue.ts'
import { endedBy } from '../ending.ts'
import { unavailable } from '../failure.ts'
import type { Probe, ProbeContext, ProbedDevice, TrialOptions } from '../probe.ts'
import { type Outcome, type Provenance, type Trial, trialSpec } from '../trial.ts'
import { isAllocationFailure } from './allocation-failure.ts'
import { type Received, TfjsChild } from './child.ts'
import type { Description, Question } from './protocol.ts'

/** Loading TensorFlow from a cold disk is what takes time. */
const START_TIMEOUT_MILLIS = 120_000
const TRIAL_TIMEOUT_MILLIS = 300_000
const LEAST_STEPS = 2

/**
 * The folder that is searched for a native package: named by the machine's owner, or beside our installation. Never the
 * working directory, which may be a pull request's.
 */
const named = process.env.MEMORYMARK_TFJS_NATIVE
const nativePlace = named ? path.resolve(named) : fileURLToPath(new URL('.', import.meta.url))

export class TfjsProbe implements Probe {
  readonly engine = 'tfjs'
  readonly provenance: Provenance
  readonly device: ProbedDevice
  readonly #context: ProbeContext
  #child: TfjsChild | undefined

  private constructor(context: ProbeContext, { label, provenance }: Description, child: TfjsChild) {
    const { gpu, limitMemoryBytes = Number.POSITIVE_INFINITY } = context
    const capped = { ...gpu, totalBytes: Math.min(gpu.totalBytes, limitMemoryBytes) }
    this.#context = context
    this.#child = child
    this.provenance = provenance
    // TensorFlow.js cannot ask a GPU for its memory, so the caller's GPU counts.
    this.device = { name: gpu.name, totalBytes: capped.totalBytes, usableBytes: usableBytes(capped), software: label }
  }

  /** @throws MemoryMarkError where the backend cannot start. */
  static async open(this: void, context: ProbeContext): Promise<TfjsProbe> {
    const child = newChild(context)
    const started = await endedBy(context.signal, child, child.start(START_TIMEOUT_MILLIS))
    if (started.kind === 'ready') return new TfjsProbe(context, started.backend, child)
    await child[Symbol.asyncDispose]()
    throw unavailable('tfjs', started.kind === 'ended' ? started.text : 'its process did not start in time')
  }

  async trial(microBatch: number, options: TrialOptions = {}): Promise<Trial> {
    return this.#trial(microBatch, 'step', options)
  }

  /** The forward pass alone, with nothing kept for a backward pass. */
  async forward(microBatch: number): Promise<Trial> {
    return this.#trial(microBatch, 'forward', {})
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#endChild()
  }

  async #trial(
    microBatch: number,
    pass: Question['pass'],
    { steps = LEAST_STEPS, signal, accumulates = false }: TrialOptions,
  ): Promise<Trial> {
    const { spec } = this.#context
    const end = () => void this.#endChild()
    if (signal?.aborted) end()
    signal?.addEventListener('abort', end, { once: true })
    try {
      const outcome = await this.#outcome({ spec: trialSpec(spec, microBatch, accumulates), steps, pass })
      if (outcome.kind !== 'fits') await this.#endChild()
      return { microBatch, ...(accumulates && { accumulates }), provenance: this.provenance, outcome }
    } finally {
      signal?.removeEventListener('abort', end)
    }
  }

  async #outcome(asked: Pick<Question, 'spec' | 'steps' | 'pass'>): Promise<Outcome> {
    const { config, trialTimeoutMillis = TRIAL_TIMEOUT_MILLIS, log } = this.#context
    const started = await this.#started()
    if (started.kind !== 'ready') return outcomeOf(started, log)
    const question = { ...asked, config, budgetBytes: this.device.usableBytes }
    return outcomeOf(await started.child.ask(question, trialTimeoutMillis), log)
  }

  async #started(): Promise<{ kind: 'ready'; child: TfjsChild } | Exclude<Received<'ready'>, { kind: 'ready' }>> {
    if (this.#child !== undefined) return { kind: 'ready', child: this.#child }
    const child = newChild(this.#context)
    this.#child = child
    const started = await child.start(START_TIMEOUT_MILLIS)
    return started.kind === 'ready' ? { kind: 'ready', child } : started
  }

  /** A failed step leaves tensors behind, so the next trial gets a new process. */
  async #endChild(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    await child?.[Symbol.asyncDispose]()
  }
}

/** The TensorFlow.js backend of this machine, or why there is none. */
export async function describeTfjs(): Promise<Description | { readonly why: string }> {
  await using child = new TfjsChild({ choice: 'auto', nativeFolder: nativePlace })
  const started = await child.start(START_TIMEOUT_MILLIS)
  switch (started.kind) {
    case 'ready':
      return started.backend
    case 'ended':
      return { why: started.text }
    case 'timed-out':
      return { why: 'its process did not start in time' }
  }
}

function newChild({ tfjs: { backend = 'auto', nativeFolder = nativePlace } = {} }: ProbeContext): TfjsChild {
  return new TfjsChild({ choice: backend, nativeFolder })
}

function outcomeOf(received: Received<'answer'>, log: ((text: string) => void) | undefined): Outcome {
  switch (received.kind) {
    case 'answer':
      return received.outcome
    case 'timed-out':
      return received
    case 'ended':
      log?.(received.text)
      return isAllocationFailure(received.text) ? { kind: 'out-of-memory' } : died(received.text)
  }
}

function died(text: string): Outcome {
  const message = `the TensorFlow.js process ${text}`.slice(0, 2_000)
  const fix = "Check the machine's log: the host may be out of memory, or the driver may have failed."
  return { kind: 'failed', problem: { code: 'worker-died', message, fix } }
}
