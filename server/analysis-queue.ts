/**
 * Queues the server's analyses. Those that use a device or Python run one at a time, because two sweeps on one GPU
 * would take each other's memory; estimates have processes of their own and do not wait for a sweep.
 */
import { once } from 'node:events'
import type { Machine } from '../engine/probes/device.ts'
import { engineOn } from '../engine/probes/open-probe.ts'
import type { Analysis, AnalysisRequest, Ending } from './analysis.ts'
import { AnalysisRunner } from './analysis-runner.ts'
import { BoundedQueue, type QueueSize } from './bounded-queue.ts'
import { LiveAnalysis } from './live-analysis.ts'
import type { KnownMachine } from './machine.ts'
import type { Analyses, Submission } from './pages.ts'
import type { RunnerSettings } from './runner-protocol.ts'

const kinds = ['sweep', 'estimate'] as const
type Kind = (typeof kinds)[number]

export interface Limits {
  readonly queue: QueueSize
  readonly timeoutMillis: number
  /** Seconds until a retry, told to clients when the queue is full. */
  readonly retryAfterSeconds: number
}

export interface QueueOptions {
  readonly settings: RunnerSettings
  readonly machine: KnownMachine
  /** Receives the stacks of our own bugs. */
  readonly log: (text: string) => void
  readonly now?: () => Date
  readonly limits?: Partial<Record<Kind, Limits>>
  /** Number of finished analyses kept, the newest. */
  readonly kept?: number
}

/** A sweep on a GPU takes a minute or two; the largest models some more. */
const defaultLimits: Record<Kind, Limits> = {
  sweep: { queue: { running: 1, waiting: 10 }, timeoutMillis: 30 * 60_000, retryAfterSeconds: 60 },
  estimate: { queue: { running: 2, waiting: 50 }, timeoutMillis: 30_000, retryAfterSeconds: 2 },
}

/** Each is at most some 100 kB, except with a thousand trials. */
const KEPT = 200

export class AnalysisQueue implements Analyses, AsyncDisposable {
  readonly #options: QueueOptions
  readonly #now: () => Date
  readonly #all = new Map<string, LiveAnalysis>()
  readonly #ended: LiveAnalysis[] = []
  readonly #queues: Record<Kind, BoundedQueue<LiveAnalysis>>
  readonly #running = new Map<LiveAnalysis, Promise<void>>()
  readonly #idleRunners: Record<Kind, AnalysisRunner[]>
  #isClosed = false

  constructor(options: QueueOptions) {
    this.#options = options
    this.#now = options.now ?? (() => new Date())
    this.#queues = { sweep: this.#queue('sweep'), estimate: this.#queue('estimate') }
    this.#idleRunners = { sweep: this.#runners('sweep'), estimate: this.#runners('estimate') }
  }

  submit(request: AnalysisRequest): Submission {
    const refusal = this.#refusal(request)
    if (refusal !== undefined) return refusal
    const kind = this.#kindOf(request)
    const analysis = new LiveAnalysis(request, this.#now)
    if (this.#isClosed || !this.#queues[kind].offer(analysis)) {
      return { kind: 'queue-full', retryAfterSeconds: this.#limits(kind).retryAfterSeconds }
    }
    this.#all.set(analysis.id, analysis)
    return { kind: 'accepted', analysis: analysis.snapshot() }
  }

  find(id: string): Analysis | undefined {
    return this.#all.get(id)?.snapshot()
  }

  events(id: string, after: number, signal: AbortSignal): ReturnType<Analyses['events']> {
    const log = this.#all.get(id)?.log
    return log?.hasEnded && after >= log.lastSequence ? 'all-seen' : log?.after(after, signal)
  }

  cancel(id: string): Analysis | undefined {
    const analysis = this.#all.get(id)
    if (analysis === undefined) return undefined
    const wasWaiting = kinds.some(kind => this.#queues[kind].withdraw(analysis))
    if (wasWaiting) this.#end(analysis, { kind: 'cancelled' })
    else analysis.cancellation.abort()
    return analysis.snapshot()
  }

  /** Accepts no more analyses, cancels all, and resolves when no process is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    for (const analysis of this.#all.values()) if (!analysis.hasEnded) this.cancel(analysis.id)
    await Promise.all(this.#running.values())
    const runners = kinds.flatMap(kind => this.#idleRunners[kind].splice(0))
    await Promise.all(runners.map(runner => runner[Symbol.asyncDispose]()))
  }

  /**
   * Refuses an engine that this server does not run: the bot's server only estimates, and a server may be started with
   * one engine.
   */
  #refusal(request: AnalysisRequest): Submission | undefined {
    const served = this.#options.settings.engine
    if (served === 'auto' || request.engine === 'auto' || request.engine === served) return undefined
    return {
      kind: 'refused',
      problem: {
        code: 'engine-not-served',
        field: 'engine',
        message: `this server does not offer the ${request.engine} engine`,
        fix: `Omit engine, or use ${served}.`,
      },
    }
  }

  #kindOf(request: AnalysisRequest): Kind {
    const engine = request.engine === 'auto' ? this.#options.settings.engine : request.engine
    return engine === 'estimate' || (engine === 'auto' && this.#estimatesOnly(request)) ? 'estimate' : 'sweep'
  }

  /** A pasted config may be for TensorFlow.js, which is swept; that is unknown until it is read. */
  #estimatesOnly({ config, spec }: AnalysisRequest): boolean {
    const machine = this.#options.machine.ifKnown
    const isPytorch = config === undefined && spec.framework !== 'tensorflow.js'
    return machine !== undefined && isPytorch && engineOn(machine) === 'estimate'
  }

  #limits(kind: Kind): Limits {
    return this.#options.limits?.[kind] ?? defaultLimits[kind]
  }

  /** One process for each analysis that may run. */
  #runners(kind: Kind): AnalysisRunner[] {
    const { settings, log } = this.#options
    return Array.from({ length: this.#limits(kind).queue.running }, () => new AnalysisRunner(settings, log))
  }

  #queue(kind: Kind): BoundedQueue<LiveAnalysis> {
    return new BoundedQueue(
      this.#limits(kind).queue,
      analysis => {
        const run = this.#run(kind, analysis)
        this.#running.set(analysis, run)
        return run.finally(() => this.#running.delete(analysis))
      },
      (analysis, position) => analysis.happened({ kind: 'queued', position }),
    )
  }

  async #run(kind: Kind, analysis: LiveAnalysis): Promise<void> {
    analysis.happened({ kind: 'started' })
    const { signal } = analysis.cancellation
    const machine = await Promise.race([this.#machineFor(kind, analysis.request), once(signal, 'abort')])
    if (!('kind' in machine)) return this.#end(analysis, { kind: 'cancelled' })
    const runner = this.#idleRunners[kind].pop()
    if (runner === undefined) throw new Error(`more analyses run than there are processes for: ${kind}`)
    const ending = await runner.run(analysis.request, {
      machine,
      timeoutMillis: this.#limits(kind).timeoutMillis,
      signal,
      tell: progress => analysis.happened(progress),
    })
    this.#idleRunners[kind].push(runner)
    this.#end(analysis, ending)
  }

  /** An estimate for a named GPU needs nothing from the machine, and does not wait for its description. */
  async #machineFor(kind: Kind, { gpu }: AnalysisRequest): Promise<Machine> {
    const { machine } = this.#options
    if (kind === 'sweep' || gpu === undefined) return machine.description
    return machine.ifKnown ?? { kind: 'no-python', why: 'the hardware of this machine is still being detected' }
  }

  #end(analysis: LiveAnalysis, ending: Ending): void {
    analysis.happened(ending)
    this.#ended.push(analysis)
    const surplus = this.#ended.length - (this.#options.kept ?? KEPT)
    for (const { id } of this.#ended.splice(0, Math.max(0, surplus))) this.#all.delete(id)
  }
}
