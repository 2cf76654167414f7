/** The trace: PyTorch's own graph of the step on the meta device, without a GPU. The tape is tested against it. */
import * as z from 'zod'
import type { Block } from '../estimate/allocator/caching-allocator.ts'
import { allocatorFor } from '../estimate/footprint.ts'
import { usableBytes } from '../gpus/catalogue.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { teacherConfig } from '../models/teacher.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { endedBy } from './ending.ts'
import { workspaceBytesOf } from './estimate.ts'
import { outcomeOf, unavailable } from './failure.ts'
import type { Probe, ProbeContext, ProbedDevice, TrialOptions } from './probe.ts'
import { type Outcome, type Trial, trialSpec } from './trial.ts'
import { type Answer, PythonWorker } from './worker.ts'

const bytes = z.number().int().min(0)

const traced = z.object({
  /** Peak of the second step, allocations rounded as the caching allocator does; no cuBLAS workspace on the meta device. */
  peakBytes: bytes,
  forwardBackwardPeakBytes: bytes,
  weightBytes: bytes,
  /** Between steps: weights, buffers and optimizer state. */
  restingBytes: bytes,
  parameters: z.number().int().min(0),
  /** Every allocation and release in order, where asked for: n > 0 allocates n bytes, −n releases the n-th allocation. */
  events: z.array(z.number().int()),
})
export type Traced = z.infer<typeof traced>

const versions = z.object({
  python: z.string(),
  torch: z.string(),
  transformers: z.string(),
  hasBitsandbytes: z.boolean(),
  hasTimm: z.boolean(),
})
export type Versions = z.infer<typeof versions>

const TRACE_TIMEOUT_MILLIS = 120_000

export function trace(
  worker: PythonWorker,
  spec: TrainingSpec,
  config: ModelConfig,
  { wantsEvents = false, timeoutMillis = TRACE_TIMEOUT_MILLIS } = {},
): Promise<Answer<Traced>> {
  return worker.ask('trace', { spec, config, teacher: teacherConfig(spec), wantsEvents }, traced, timeoutMillis)
}

export function pythonVersions(worker: PythonWorker): Promise<Answer<Versions>> {
  return worker.ask('versions', {}, versions, TRACE_TIMEOUT_MILLIS)
}

/** Peaks from PyTorch's graph; whether they fit, from its allocations replayed through a model of the caching allocator. */
export class TraceProbe implements Probe {
  readonly engine = 'trace'
  readonly provenance = 'traced'
  readonly device: ProbedDevice
  readonly #context: ProbeContext
  readonly #workspaceBytes: number
  #worker: PythonWorker | undefined

  private constructor(context: ProbeContext, worker: PythonWorker, software: string) {
    const { gpu, limitMemoryBytes = Number.POSITIVE_INFINITY } = context
    const capped = { ...gpu, totalBytes: Math.min(gpu.totalBytes, limitMemoryBytes) }
    this.device = { name: gpu.name, totalBytes: capped.totalBytes, usableBytes: usableBytes(capped), software }
    this.#context = context
    this.#workspaceBytes = workspaceBytesOf(gpu)
    this.#worker = worker
  }

  static async open(this: void, context: ProbeContext): Promise<TraceProbe> {
    const worker = new PythonWorker(context.python)
    const answer = await endedBy(context.signal, worker, pythonVersions(worker))
    if (answer.kind === 'done' && context.entrypoint === undefined) {
      const { torch, transformers } = answer.result
      return new TraceProbe(context, worker, `torch ${torch}, transformers ${transformers}`)
    }
    await worker[Symbol.asyncDispose]()
    if (answer.kind === 'done') throw unavailable('trace', 'only the torch engine runs an entry point')
    throw unavailable('trace', answer.kind === 'timed-out' ? 'Python did not start in time' : answer.message)
  }

  async trial(microBatch: number, { signal, accumulates = false }: TrialOptions = {}): Promise<Trial> {
    const { spec } = this.#context
    const worker = this.#worker ?? new PythonWorker(this.#context.python)
    this.#worker = worker
    const outcome = await endedBy(signal, worker, this.#ask(worker, trialSpec(spec, microBatch, accumulates)))
    if (outcome.kind === 'failed' || outcome.kind === 'timed-out') await this[Symbol.asyncDispose]()
    return { microBatch, ...(accumulates && { accumulates }), provenance: this.provenance, outcome }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.[Symbol.asyncDispose]()
  }

  async #ask(worker: PythonWorker, spec: TrainingSpec): Promise<Outcome> {
    const { config, trialTimeoutMillis, log } = this.#context
    const answer = await trace(worker, spec, config, {
      wantsEvents: true,
      ...(trialTimeoutMillis !== undefined && { timeoutMillis: trialTimeoutMillis }),
    })
    if (answer.kind !== 'done') return outcomeOf(answer, log)
    const peakBytes = answer.result.peakBytes + this.#workspaceBytes
    const reservedBytes = this.#replay(spec, answer.result.events)
    return reservedBytes === undefined
      ? { kind: 'out-of-memory', neededBytes: peakBytes }
      : { kind: 'fits', peakBytes, reservedBytes }
  }

  /** Bytes that the allocator reserves at most; undefined when an allocation does not fit. */
  #replay(spec: TrainingSpec, events: readonly number[]): number | undefined {
    const allocator = allocatorFor(spec, this.device.usableBytes)
    if (allocator.allocate(this.#workspaceBytes) === undefined) return undefined
    const blocks: Block[] = []
    for (const event of events) {
      if (event < 0) {
        const block = blocks[-event - 1]
        if (block !== undefined) allocator.release(block)
        continue
      }
      const block = allocator.allocate(event)
      if (block === undefined) return undefined
      blocks.push(block)
    }
    return allocator.peakReservedBytes
  }
}
