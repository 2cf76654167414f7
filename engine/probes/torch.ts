/** Runs the real step on the real device, in a Python process that is restarted after every failure. */
import * as z from 'zod'
import { teacherConfig } from '../models/teacher.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { gpusOf, machine, START_TIMEOUT_MILLIS, softwareOf, type TorchDevice, type TorchMachine } from './device.ts'
import { endedBy } from './ending.ts'
import { outcomeOf, unavailable } from './failure.ts'
import type { Probe, ProbeContext, ProbedDevice, TrialOptions } from './probe.ts'
import { workspaceImports } from './python-environment.ts'
import { type Outcome, type Trial, trialSpec } from './trial.ts'
import { PythonWorker } from './worker.ts'

const TRIAL_TIMEOUT_MILLIS = 300_000
const LEAST_STEPS = 2
/**
 * Untimed steps that load kernels, choose algorithms and fill the allocator's cache. The worker repeats the second
 * until the GPU's clocks have risen.
 */
const WARM_UP_STEPS = 2

const step = z.object({
  millis: z.number().min(0),
  optimizerMillis: z.number().min(0),
  peakAllocatedBytes: z.number().int().min(0).optional(),
  peakRequestedBytes: z.number().int().min(0).optional(),
  peakReservedBytes: z.number().int().min(0).optional(),
  contextBytes: z.number().int().min(0).optional(),
})
type Step = z.infer<typeof step>

const ran = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('fits'),
    steps: z.array(step).min(LEAST_STEPS),
    /** Kernels that scaled_dot_product_attention took: `flash`, `efficient`, `cudnn`, `math`. */
    attention: z.array(z.string()),
  }),
  z.object({ kind: z.literal('out-of-memory'), message: z.string() }),
])
type Ran = z.infer<typeof ran>

export class TorchProbe implements Probe {
  readonly engine = 'torch'
  readonly provenance = 'measured'
  readonly #context: ProbeContext
  readonly #found: UsableDevice
  #device: ProbedDevice
  #worker: PythonWorker | undefined

  private constructor(context: ProbeContext, found: UsableDevice, device: ProbedDevice, worker?: PythonWorker) {
    this.#context = context
    this.#found = found
    this.#device = device
    this.#worker = worker
  }

  /** Usable memory shrinks as training steps load kernels into the CUDA context. */
  get device(): ProbedDevice {
    return this.#device
  }

  static async open(this: void, context: ProbeContext): Promise<TorchProbe> {
    const worker = new PythonWorker(context.python)
    const { limitMemoryBytes, spec } = context
    const question = deviceQuestion(context, context.deviceKind)
    const asked = worker.ask('device', question, machine, START_TIMEOUT_MILLIS)
    const answer = await endedBy(context.signal, worker, asked)
    const probed = answer.kind === 'done' ? probedDevice(answer.result, limitMemoryBytes) : undefined
    if (answer.kind === 'done' && isUsable(answer.result.device) && probed !== undefined) {
      const { device } = answer.result
      const gpus = gpusOf({ kind: 'python', ...answer.result })
      if (spec.gpus === 1) return new TorchProbe(context, device, probed, worker)
      // Trials have their own processes, one per GPU.
      await worker[Symbol.asyncDispose]()
      if (gpus >= spec.gpus) return new TorchProbe(context, device, probed)
      throw unavailable('torch', `the config trains on ${spec.gpus} GPUs, and this machine has ${gpus}`)
    }
    await worker[Symbol.asyncDispose]()
    throw unavailable('torch', whyNot(answer))
  }

  trial(microBatch: number, options: TrialOptions = {}): Promise<Trial> {
    return this.trialOf(this.#context, microBatch, options)
  }

  /** Runs a trial of another spec in this probe's processes, for the same number of GPUs. */
  async trialOf({ spec, config }: Subject, microBatch: number, options: TrialOptions = {}): Promise<Trial> {
    const { steps = LEAST_STEPS, signal, accumulates = false } = options
    const { python, spec: own } = this.#context
    const worker = this.#worker ?? new PythonWorker(python, { processes: own.gpus, device: this.#found.kind })
    this.#worker = worker
    const subject = { spec: trialSpec(spec, microBatch, accumulates), config }
    const outcome = await endedBy(signal, worker, this.#ask(worker, subject, steps))
    if (outcome.kind !== 'fits' || isPaged(spec)) await this.#endWorker()
    return { microBatch, ...(accumulates && { accumulates }), provenance: this.provenance, outcome }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#endWorker()
  }

  async #ask(worker: PythonWorker, { spec, config }: Subject, steps: number): Promise<Outcome> {
    const { entrypoint, log } = this.#context
    const workspace = process.cwd()
    const question = {
      spec,
      config,
      teacher: teacherConfig(spec),
      steps,
      ...deviceQuestion(this.#context, this.#found.kind),
      ...(entrypoint && {
        entrypoint,
        folder: workspace,
        importFolders: workspaceImports(process.env, workspace),
      }),
    }
    const answer = await worker.ask('trial', question, ran, this.#context.trialTimeoutMillis ?? TRIAL_TIMEOUT_MILLIS)
    if (answer.kind === 'died' && outOfMemoryWords.test(answer.message)) return { kind: 'out-of-memory' }
    if (answer.kind !== 'done') return outcomeOf(answer, log)
    if (answer.result.kind === 'out-of-memory') return { kind: 'out-of-memory' }
    this.#device = { ...this.#device, usableBytes: usableAfter(answer.result.steps, this.#found, this.#device) }
    return fits(answer.result, spec.gradientAccumulation)
  }

  /** After out of memory a process has fragmentation and broken library handles, so the next trial gets a new one. */
  async #endWorker(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.[Symbol.asyncDispose]()
  }
}

type Subject = Pick<ProbeContext, 'spec' | 'config'>

type UsableDevice = Exclude<TorchDevice, { kind: 'none' | 'broken' }>

function isUsable(device: TorchDevice): device is UsableDevice {
  return device.kind !== 'none' && device.kind !== 'broken'
}

function deviceQuestion({ limitMemoryBytes, gpu }: ProbeContext, device: string | undefined) {
  return { device, limitMemoryBytes, playedContextBytes: gpu.contextBytes }
}

/** The message with which bitsandbytes ends the process if its own allocation fails: csrc/ops.cu. */
const outOfMemoryWords = /Error out of memory at line \d+/

/** bitsandbytes never frees the memory of paged optimizer states. */
function isPaged({ optimizer }: TrainingSpec): boolean {
  return optimizer.startsWith('paged-')
}

/** With a memory limit that plays a smaller card, that card's fixed CUDA context counts. */
function usableAfter(steps: readonly Step[], found: UsableDevice, { usableBytes }: ProbedDevice): number {
  const contextBytes = highest(steps.map(step => step.contextBytes))
  if (found.kind !== 'cuda' || contextBytes === undefined || found.isCapped) return usableBytes
  return Math.max(0, Math.min(usableBytes, found.totalBytes - found.otherBytes - contextBytes))
}

/** The peak is the highest over the steps after the first; the time is the median after the warm-up. */
function fits({ steps, attention }: Extract<Ran, { kind: 'fits' }>, accumulation: number): Outcome {
  const steady = steps.slice(1)
  const timed = steps.slice(Math.min(WARM_UP_STEPS, steps.length - 1))
  const optimizerMillis = median(timed.map(step => step.optimizerMillis))
  const stepMillis = timed.map(step => (step.millis - step.optimizerMillis) / accumulation + step.optimizerMillis)
  const peaks = steady.flatMap(step => step.peakAllocatedBytes ?? [])
  const peakBytes = highest(peaks)
  const requestedBytes = highest(steady.map(step => step.peakRequestedBytes))
  const reservedBytes = highest(steps.map(step => step.peakReservedBytes))
  return {
    kind: 'fits',
    ...(peakBytes !== undefined && { peakBytes }),
    ...(peaks.length > 1 && { peakBytesSpread: halfRange(peaks) }),
    ...(requestedBytes !== undefined && { requestedBytes }),
    ...(reservedBytes !== undefined && { reservedBytes }),
    stepMillis: median(stepMillis),
    optimizerMillis,
    ...(timed.length > 1 && { stepMillisSpread: halfRange(stepMillis) }),
    ...(attention.length > 0 && { attention }),
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
      return { name: device.name, totalBytes: device.totalBytes, usableBytes: device.usableBytes, software }
    case 'mps':
      return { name: device.name, totalBytes: device.totalBytes, usableBytes: device.totalBytes, software }
    case 'cpu':
      return limitMemoryBytes === undefined
        ? undefined
        : { name: `CPU ${device.name}`, totalBytes: limitMemoryBytes, usableBytes: limitMemoryBytes, software }
    case 'none':
    case 'broken':
      return undefined
  }
}

function whyNot(answer: Awaited<ReturnType<typeof PythonWorker.prototype.ask<TorchMachine>>>): string {
  switch (answer.kind) {
    case 'done':
      return whyUnusable(answer.result.device)
    case 'failed':
    case 'died':
      return answer.message
    case 'timed-out':
      return `Python did not start within ${answer.afterMillis / 1_000} s`
  }
}

function whyUnusable(device: TorchDevice): string {
  switch (device.kind) {
    case 'broken':
      return `PyTorch cannot start this machine's GPU: ${device.why}`
    case 'cpu':
      return 'a sweep on the CPU needs --limit-memory, because a host that runs out of memory kills processes at random'
    case 'none':
    case 'cuda':
    case 'mps':
      return 'PyTorch finds neither a CUDA nor an MPS device'
  }
}
