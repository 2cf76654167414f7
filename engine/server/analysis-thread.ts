/** A thread for analyses, one at a time; kept warm between them, and replaced where it does not end when told. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Problem } from '../errors.ts'
import type { Machine } from '../probes/device.ts'
import { type AnalysisRequest, type Ending, isFinal, type Progress } from './analysis.ts'
import type { Message, Order, ThreadSettings } from './thread-protocol.ts'

/** A cancelled sweep has a process to end; one that computes may not hear that it is to stop. */
const GRACE_MILLIS = 5_000

/** Several times what the largest model of the catalogue takes. */
const HEAP_MIB = 512

export interface RunOptions {
  readonly machine: Machine
  readonly timeoutMillis: number
  /** Cancels it. */
  readonly signal: AbortSignal
  readonly tell: (progress: Progress) => void
}

/** The bundle lies beside ours in dist/; the sources hold the thread beside this file. */
function threadPath(): string {
  const places = ['./analysis-thread.js', './analysis-worker.ts'].map(path =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  const found = places.find(place => existsSync(place))
  if (found === undefined) throw new Error(`the analysis thread is missing from the installation: ${places.join(', ')}`)
  return found
}

export class AnalysisThread implements AsyncDisposable {
  readonly #settings: ThreadSettings
  readonly #log: (text: string) => void
  readonly #path = threadPath()
  #worker: Worker | undefined

  /** Starts nothing yet. `log` receives the stacks of our own bugs. */
  constructor(settings: ThreadSettings, log: (text: string) => void) {
    this.#settings = settings
    this.#log = log
  }

  /** Never rejects. */
  async run(request: AnalysisRequest, { machine, timeoutMillis, signal, tell }: RunOptions): Promise<Ending> {
    const worker = this.#started()
    const ended = Promise.withResolvers<Ending>()
    const hear = (message: Message) => {
      if (message.kind === 'crashed') ended.resolve(this.#crashed(message.stack))
      else if (isFinal(message)) ended.resolve(message)
      else tell(message)
    }
    const died = (error: Error) => ended.resolve(this.#crashed(error.stack ?? error.message))
    worker.on('message', hear).once('error', died)
    using stopping = new Stopping(worker, ended.resolve, () => this.#forget(worker))
    const timeout = setTimeout(() => stopping.stop(timedOut(timeoutMillis)), timeoutMillis)
    const cancel = () => stopping.stop({ kind: 'cancelled' })
    signal.addEventListener('abort', cancel, { once: true })
    try {
      give(worker, { kind: 'run', request, machine })
      if (signal.aborted) cancel()
      return stopping.instead(await ended.promise)
    } finally {
      clearTimeout(timeout)
      signal.removeEventListener('abort', cancel)
      worker.off('message', hear).off('error', died)
    }
  }

  /** To be called when nothing runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate()
    this.#worker = undefined
  }

  #started(): Worker {
    const started =
      this.#worker ??
      new Worker(this.#path, { workerData: this.#settings, resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } })
    if (this.#worker === undefined) {
      // Once a thread has died, the next analysis starts another.
      started.on('error', () => this.#forget(started)).once('exit', () => this.#forget(started))
    }
    this.#worker = started
    return started
  }

  #forget(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined
  }

  #crashed(stack: string): Ending {
    this.#log(stack)
    return { kind: 'failed', problems: [crash] }
  }
}

/** Tells a run to end; ends its thread where that is not heard. */
class Stopping implements Disposable {
  readonly #worker: Worker
  readonly #end: (ending: Ending) => void
  readonly #forget: () => void
  #ending: Ending | undefined
  #grace: NodeJS.Timeout | undefined

  constructor(worker: Worker, end: (ending: Ending) => void, forget: () => void) {
    this.#worker = worker
    this.#end = end
    this.#forget = forget
  }

  stop(ending: Ending): void {
    if (this.#ending !== undefined) return
    this.#ending = ending
    give(this.#worker, { kind: 'cancel' })
    this.#grace = setTimeout(() => {
      this.#forget()
      void this.#worker.terminate().then(() => this.#end(ending))
    }, GRACE_MILLIS)
  }

  /** What is told of a run that was stopped is why; one that had ended just before keeps its own ending. */
  instead(ending: Ending): Ending {
    return ending.kind === 'cancelled' ? (this.#ending ?? ending) : ending
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#grace)
  }
}

function give(worker: Worker, order: Order): void {
  worker.postMessage(order)
}

function timedOut(afterMillis: number): Ending {
  const problem: Problem = {
    code: 'analysis-timed-out',
    message: `the analysis did not end within ${Math.round(afterMillis / 1_000)} s`,
    fix: 'Analyse a smaller model, or use the estimate engine.',
  }
  return { kind: 'failed', problems: [problem] }
}

const crash: Problem = {
  code: 'analysis-crashed',
  message: 'the analysis ended because of a bug in MemoryMark or a lack of memory',
  fix: "Check the server's log.",
}
