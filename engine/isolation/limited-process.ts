/**
 * A child process that performs orders under limits on time and memory, one at a time. It stays warm between orders and
 * is killed and replaced when an order passes a limit. It is not a thread because V8 ends the whole process when an
 * allocation fails, whatever the thread's heap limit.
 */
import type { Problem } from '../base/errors.ts'
import { Child, type ChildOptions } from './child.ts'
import { Clock } from './clock.ts'
import type { FromProcess } from './protocol.ts'
import { PAST_CPU_LIMIT, PAST_MEMORY_LIMIT } from './watch-thread.ts'

export interface ProcessOptions extends ChildOptions {
  /** Milliseconds that a stopped order has to end by itself; 0 by default. */
  readonly graceMillis?: number
}

export interface OrderOptions {
  /** `compute`: CPU time of each step. `wall`: time of the whole order by the clock. */
  readonly limit: { readonly kind: 'compute' | 'wall'; readonly millis: number }
  /** Cancels the order. */
  readonly signal?: AbortSignal | undefined
  /** `cpuMillis`: of the step alone. */
  readonly onStep?: (step: unknown, cpuMillis: number) => void
  /** Its rejection ends the order and is passed on. */
  readonly answer?: (question: unknown) => Promise<unknown>
}

export type Outcome =
  | {
      readonly kind: 'done'
      readonly result: unknown
      /** The reason for which the order was stopped; absent if it was not. */
      readonly stopped?: 'time-limit' | 'stalled' | 'cancelled'
    }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'time-limit' }
  /** A step neither ended nor used its CPU time, however long it was waited for: see `MAX_SLOWDOWN`. */
  | { readonly kind: 'stalled' }
  | { readonly kind: 'memory-limit' }
  | { readonly kind: 'cancelled' }
  /** A bug of ours. */
  | { readonly kind: 'threw'; readonly stack: string }
  /** The process ended by a crash or was killed by the system. `how`: its last output. */
  | { readonly kind: 'died'; readonly how: string }

const WATCH_MILLIS = 100
/**
 * A limit on CPU time is waited for so many times by the clock, without the time that the host takes for answers. What computes gets there
 * by itself unless the machine gives it less than a sixtieth of a core; what only waits, by a bug, never does.
 */
export const MAX_SLOWDOWN = 60
/** Memory for code, stacks and buffers, which V8's heap limit does not include. */
const BESIDE_HEAP_MIB = 192

export class LimitedProcess implements AsyncDisposable {
  readonly #options: ProcessOptions
  #child: Child | undefined
  #isDisposed = false

  /** Starts nothing yet. */
  constructor(options: ProcessOptions) {
    this.#options = options
  }

  /** Undefined while none runs. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Whether the running process has performed an order, which may have left data in its memory. */
  get isUsed(): boolean {
    return this.#child?.isUsed ?? false
  }

  /** Resolves once the process takes orders. @throws ProcessNotStarted */
  async start(): Promise<void> {
    await this.#started()
  }

  /** One order at a time. @throws ProcessNotStarted, and whatever `answer` rejects with. */
  async run(order: unknown, options: OrderOptions): Promise<Outcome> {
    if (options.signal?.aborted || this.#isDisposed) return { kind: 'cancelled' }
    const child = await this.#started().catch((error: unknown) => {
      if (this.#isDisposed) return undefined
      throw error
    })
    if (child === undefined || this.#isDisposed) return { kind: 'cancelled' }
    using running = new RunningOrder(child, this.#options, options)
    const outcome = await running.outcome(order)
    return this.#isDisposed ? { kind: 'cancelled' } : outcome
  }

  /** Ends the process; the next order starts a new one. Call only between orders. */
  async restart(): Promise<void> {
    await this.#end()
  }

  /** Ends it at once; an order that runs is cancelled. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    await this.#end()
  }

  async #end(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    await child?.end()
  }

  async #started(): Promise<Child> {
    if (this.#child?.isAlive !== true) this.#child = new Child(this.#options)
    const child = this.#child
    await child.ready()
    return child
  }
}

class RunningOrder implements Disposable {
  readonly #child: Child
  readonly #limits: ProcessOptions
  readonly #options: OrderOptions
  readonly #outcome = Promise.withResolvers<Outcome>()
  readonly #clock: Clock
  readonly #watch: NodeJS.Timeout
  readonly #cancel = () => this.#stop('cancelled')
  #stopped: 'time-limit' | 'stalled' | 'cancelled' | undefined
  #grace: NodeJS.Timeout | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(child: Child, limits: ProcessOptions, options: OrderOptions) {
    this.#child = child
    this.#limits = limits
    this.#options = options
    this.#clock = new Clock()
    this.#watch = setInterval(() => this.#look(), WATCH_MILLIS)
    child.hold(true)
    child.listen({
      hear: message => this.#hear(message),
      ended: how => this.#outcome.resolve(this.#died(how)),
    })
    options.signal?.addEventListener('abort', this.#cancel, { once: true })
  }

  async outcome(order: unknown): Promise<Outcome> {
    const { limit, signal } = this.#options
    this.#child.isUsed = true
    const residentMib = this.#limits.heapMib + BESIDE_HEAP_MIB
    const limits = { residentMib, ...(limit.kind === 'compute' && { cpuMillis: limit.millis }) }
    this.#child.tell({ kind: 'run', order, limits })
    if (signal?.aborted) this.#stop('cancelled')
    const outcome = await this.#outcome.promise
    if (this.#failure !== undefined) throw this.#failure.error
    return outcome
  }

  [Symbol.dispose](): void {
    clearInterval(this.#watch)
    clearTimeout(this.#grace)
    this.#options.signal?.removeEventListener('abort', this.#cancel)
    this.#child.listen(undefined)
    this.#child.hold(false)
  }

  #hear(message: FromProcess): void {
    switch (message.kind) {
      case 'ready':
        return
      case 'step':
        this.#options.onStep?.(message.step, message.cpuMillis)
        if (this.#options.limit.kind === 'compute') this.#clock.restart()
        return
      case 'ask':
        void this.#answer(message.id, message.question)
        return
      case 'done':
        this.#outcome.resolve({
          kind: 'done',
          result: message.result,
          ...(this.#stopped && { stopped: this.#stopped }),
        })
        return
      case 'refused':
        this.#outcome.resolve({ kind: 'refused', problem: message.problem })
        return
      case 'exhausted':
        this.#outcome.resolve({ kind: 'memory-limit' })
        return
      case 'threw':
        this.#outcome.resolve({ kind: 'threw', stack: message.stack })
        return
    }
  }

  async #answer(id: number, question: unknown): Promise<void> {
    const { answer, limit } = this.#options
    if (limit.kind === 'compute') this.#clock.pause()
    try {
      this.#child.tell({ kind: 'answer', id, value: await answer?.(question) })
    } catch (error) {
      this.#failure ??= { error }
      this.#child.tell({ kind: 'no-answer', id })
    } finally {
      if (limit.kind === 'compute') this.#clock.resume()
    }
  }

  #look(): void {
    const { kind, millis } = this.#options.limit
    if (kind === 'wall' && this.#clock.millis >= millis) this.#stop('time-limit')
    if (kind === 'compute' && this.#clock.millis >= millis * MAX_SLOWDOWN) this.#stop('stalled')
  }

  #stop(why: 'time-limit' | 'stalled' | 'cancelled'): void {
    if (this.#stopped !== undefined) return
    this.#stopped = why
    const end = () => void this.#child.end()
    const { graceMillis = 0 } = this.#limits
    if (graceMillis > 0) {
      this.#child.tell({ kind: 'cancel' })
      this.#grace = setTimeout(end, graceMillis)
    } else {
      end()
    }
  }

  #died(how: string): Outcome {
    if (how.includes(PAST_CPU_LIMIT)) return { kind: 'time-limit' }
    if (how.includes(PAST_MEMORY_LIMIT)) return { kind: 'memory-limit' }
    if (this.#stopped !== undefined) return { kind: this.#stopped }
    // V8 aborts where it cannot allocate.
    const isMemory = /out of memory|allocation failed|invalid (?:size|array length) error|SIG(?:ABRT|TRAP|ILL)/i.test(
      how,
    )
    return isMemory ? { kind: 'memory-limit' } : { kind: 'died', how }
  }
}
