/** Runs the real step on the real device, in a Python process that is restarted after every failure. */
import * as z from 'zod'
import type { TrainingSpec } from '../config/spec.ts'
import { teacherConfig } from '../models/teacher.ts'
import { type DeviceKind, gpusOf, machine, START_TIMEOUT_MILLIS, softwareOf, type TorchMachine } from './device.ts'
import { endedBy } from './ending.ts'
import { outcomeOf, unavailable } from './failure.ts'
import type { Probe, ProbeContext, ProbedDevice, TrialOptions } from './probe.ts'
import { type Outcome, type Trial, trialSpec } from './trial.ts'
import { PythonWorker } from './worker.ts'

const TRIAL_TIMEOUT_MILLIS = 300_000
const LEAST_STEPS = 2
/** Steps that are not timed: they load kernels, pick algorithms and fill the allocator's cache. */
const WARM_UP_STEPS = 2

const step = z.object({
  millis: z.number().min(0),
  optimizerMillis: z.number().min(0),
  peakAllocatedBytes: z.number().int().min(0).optional(),
  peakReservedBytes: z.number().int().min(0).optional(),
  contextBytes: z.number().int().min(0).optional(),
})
type Step = z.infer<typeof step>

const ran = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('fits'), steps: z.array(step).min(LEAST_STEPS) }),
  z.object({ kind: z.literal('out-of-memory'), message: z.string() }),
])

export class TorchProbe implements Probe {
  readonly engine = 'torch'
  readonly provenance = 'measured'
  readonly device: ProbedDevice
  readonly #context: ProbeContext
  readonly #deviceKind: DeviceKind
  #worker: PythonWorker | undefined

  private constructor(context: ProbeContext, deviceKind: DeviceKind, device: ProbedDevice, worker?: PythonWorker) {
    this.#context = context
    this.#deviceKind = deviceKind
    this.device = device
    this.#worker = worker
  }

  static async open(this: void, context: ProbeContext): Promise<TorchProbe> {
    const worker = new PythonWorker(context.python)
    const { deviceKind, limitMemoryBytes, spec } = context
    const question = { device: deviceKind, limitMemoryBytes }
    const asked = worker.ask('device', question, machine, START_TIMEOUT_MILLIS)
    const answer = await endedBy(context.signal, worker, asked)
    const probed = answer.kind === 'done' ? probedDevice(answer.result, limitMemoryBytes) : undefined
    if (answer.kind === 'done' && answer.result.device.kind !== 'none' && probed !== undefined) {
      const { device } = answer.result
      const gpus = gpusOf({ kind: 'python', ...answer.result })
      if (spec.gpus === 1) return new TorchProbe(context, device.kind, probed, worker)
      // Trials have their own processes, one per GPU.
      await worker[Symbol.asyncDispose]()
      if (gpus >= spec.gpus) return new TorchProbe(context, device.kind, probed)
      throw unavailable('torch', `the config trains on ${spec.gpus} GPUs, and this machine has ${gpus}`)
    }
    await worker[Symbol.asyncDispose]()
    throw unavailable('torch', whyNot(answer))
  }

  async trial(microBatch: number, options: TrialOptions = {}): Promise<Trial> {
    const { steps = LEAST_STEPS, signal, accumulates = false } = options
    const { spec } = this.#context
    const worker = this.#worker ?? new PythonWorker(this.#context.python, spec.gpus)
    this.#worker = worker
    const outcome = await endedBy(signal, worker, this.#ask(worker, trialSpec(spec, microBatch, accumulates), steps))
    if (outcome.kind !== 'fits') await this.#endWorker()
    return { microBatch, ...(accumulates && { accumulates }), provenance: this.provenance, outcome }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#endWorker()
  }

  async #ask(worker: PythonWorker, spec: TrainingSpec, steps: number): Promise<Outcome> {
    const { config, entrypoint, limitMemoryBytes, log } = this.#context
    const question = {
      spec,
      config,
      teacher: teacherConfig(spec),
      steps,
      device: this.#deviceKind,
      limitMemoryBytes,
      entrypoint,
    }
    const answer = await worker.ask('trial', question, ran, this.#context.trialTimeoutMillis ?? TRIAL_TIMEOUT_MILLIS)
    if (answer.kind !== 'done') return outcomeOf(answer, log)
    if (answer.result.kind === 'out-of-memory') return { kind: 'out-of-memory' }
    return fits(answer.result.steps, spec.gradientAccumulation)
  }

  /** A process that ran out of memory keeps fragments and broken library handles, so the next trial gets a new one. */
  async #endWorker(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.[Symbol.asyncDispose]()
  }
}

/** The peak is the highest over the steps after the first; the time is the median after the warm-up. */
function fits(steps: readonly Step[], accumulation: number): Outcome {
  const steady = steps.slice(1)
  const timed = steps.slice(Math.min(WARM_UP_STEPS, steps.length - 1))
  const optimizerMillis = median(timed.map(step => step.optimizerMillis))
  const stepMillis = timed.map(step => (step.millis - step.optimizerMillis) / accumulation + step.optimizerMillis)
  const peaks = steady.flatMap(step => step.peakAllocatedBytes ?? [])
  const peakBytes = highest(peaks)
  const reservedBytes = highest(steps.map(step => step.peakReservedBytes))
  return {
    kind: 'fits',
    ...(peakBytes !== undefined && { peakBytes }),
    ...(peaks.length > 1 && { peakBytesSpread: halfRange(peaks) }),
    ...(reservedBytes !== undefined && { reservedBytes }),
    stepMillis: median(stepMillis),
    optimizerMillis,
    ...(timed.length > 1 && { stepMillisSpread: halfRange(stepMillis) }),
  }
}

function halfRange(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / 2
}

function highest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter(value => value !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2
}

/** On the CPU, only a limit gives the device a known size. */
function probedDevice(found: TorchMachine, limitMemoryBytes: number | undefined): ProbedDevice | undefined {
  const software = softwareOf(found)
  const { device } = found
  switch (device.kind) {
    case 'cuda':
    case 'mps':
      return {
        name: device.name,
        totalBytes: device.totalBytes,
        usableBytes: device.totalBytes - device.contextBytes,
        software,
      }
    case 'cpu':
      return limitMemoryBytes === undefined
        ? undefined
        : { name: `CPU ${device.name}`, totalBytes: limitMemoryBytes, usableBytes: limitMemoryBytes, software }
    case 'none':
      return undefined
  }
}

function whyNot(answer: Awaited<ReturnType<typeof PythonWorker.prototype.ask<TorchMachine>>>): string {
  switch (answer.kind) {
    case 'done':
      return answer.result.device.kind === 'cpu'
        ? 'a sweep on the CPU needs --limit-memory, because a host that runs out of memory kills processes at random'
        : 'PyTorch finds neither a CUDA nor an MPS device'
    case 'failed':
    case 'died':
      return answer.message
    case 'timed-out':
      return `Python did not start within ${answer.afterMillis / 1_000} s`
  }
}
