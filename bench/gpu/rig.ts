/** The processes that all parts share: one that measures and one that traces, started at first use. */
import { Footprint } from '../../engine/estimate/footprint.ts'
import { FootprintCache } from '../../engine/estimate/footprint-cache.ts'
import { defaultGpu, findGpu, type Gpu } from '../../engine/gpus/catalogue.ts'
import { EstimateProbe } from '../../engine/probes/estimate.ts'
import { TorchProbe } from '../../engine/probes/torch.ts'
import { trace } from '../../engine/probes/trace.ts'
import { PythonWorker } from '../../engine/probes/worker.ts'
import type { Subject } from './plan.ts'

/** Milliseconds reserved for the last items, so that a part ends within its time. */
export const ITEM_MILLIS = 60_000

export interface RigOptions {
  readonly python: string
  /** Bytes of the smaller card that the limit simulates. */
  readonly limitMemoryBytes: number | undefined
  readonly signal: AbortSignal
}

export class Rig implements AsyncDisposable {
  readonly options: RigOptions
  #torch: Promise<TorchProbe> | undefined
  #tracer: PythonWorker | undefined

  constructor(options: RigOptions) {
    this.options = options
  }

  torch(subject: Subject): Promise<TorchProbe> {
    this.#torch ??= this.open(subject, this.options.limitMemoryBytes)
    return this.#torch
  }

  /** A separate process, for a changed environment or limit. */
  open({ spec, config }: Subject, limitMemoryBytes?: number): Promise<TorchProbe> {
    const { python, signal } = this.options
    return TorchProbe.open({
      spec,
      config,
      python,
      signal,
      footprints: new FootprintCache(),
      gpu: defaultGpu,
      trialTimeoutMillis: ITEM_MILLIS,
      deviceKind: 'cuda',
      ...(limitMemoryBytes !== undefined && { limitMemoryBytes }),
    })
  }

  async tracedBytes({ spec, config }: Subject): Promise<number> {
    this.#tracer ??= new PythonWorker(this.options.python)
    const answer = await trace(this.#tracer, spec, config, { timeoutMillis: ITEM_MILLIS })
    if (answer.kind === 'done') return answer.result.peakBytes
    await this.#endTracer()
    throw new Error(answer.kind === 'timed-out' ? 'the trace took too long' : answer.message)
  }

  /** The estimate for the GPU with its real or limited memory. */
  async estimate(subject: Subject): Promise<EstimateProbe> {
    return new EstimateProbe(new Footprint(subject.spec, subject.config), await this.card(subject))
  }

  async card(subject: Subject): Promise<Gpu> {
    const { name, totalBytes, usableBytes } = (await this.torch(subject)).device
    return { ...(findGpu(name) ?? defaultGpu), totalBytes, contextBytes: totalBytes - usableBytes }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#endTracer()
    await (await this.#torch?.catch(() => undefined))?.[Symbol.asyncDispose]()
  }

  async #endTracer(): Promise<void> {
    await this.#tracer?.[Symbol.asyncDispose]()
    this.#tracer = undefined
  }
}
