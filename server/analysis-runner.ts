/**
 * A process for the server's analyses, one at a time. It stays warm between them, and is replaced if it does not stop
 * when told.
 */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Problem } from '../engine/base/errors.ts'
import { ProcessNotStarted } from '../engine/isolation/child.ts'
import { LimitedProcess, type Outcome } from '../engine/isolation/limited-process.ts'
import type { Machine } from '../engine/probes/device.ts'
import type { AnalysisRequest, Ending, Progress } from './analysis.ts'
import type { RunnerSettings, RunOrder } from './runner-protocol.ts'

/** Time for a cancelled sweep to end its own processes. */
const GRACE_MILLIS = 5_000

/** Several times what the catalogue's largest model takes. */
const HEAP_MIB = 512

export interface RunOptions {
  readonly machine: Machine
  readonly timeoutMillis: number
  /** Cancels it. */
  readonly signal: AbortSignal
  readonly tell: (progress: Progress) => void
}

/** The bundle lies beside ours in dist/; the sources hold it beside this file. */
function scriptPath(): string {
  const places = ['./analysis.js', './analysis-process.ts'].map(path => fileURLToPath(new URL(path, import.meta.url)))
  const found = places.find(place => existsSync(place))
  if (found === undefined)
    throw new Error(`the analysis process is missing from the installation: ${places.join(', ')}`)
  return found
}

export class AnalysisRunner implements AsyncDisposable {
  readonly #settings: RunnerSettings
  readonly #log: (text: string) => void
  readonly #process: LimitedProcess

  /** Starts no process yet. `log` receives stack traces of our own bugs. */
  constructor(settings: RunnerSettings, log: (text: string) => void) {
    this.#settings = settings
    this.#log = log
    // The process runs Python and asks the Hub, which environment variables configure.
    this.#process = new LimitedProcess({
      script: scriptPath(),
      heapMib: HEAP_MIB,
      env: process.env,
      graceMillis: GRACE_MILLIS,
      // Python's tracebacks.
      onStderr: text => process.stderr.write(text),
    })
  }

  /** Never rejects. */
  async run(request: AnalysisRequest, { machine, timeoutMillis, signal, tell }: RunOptions): Promise<Ending> {
    const order: RunOrder = { kind: 'run', settings: this.#settings, request, machine }
    try {
      const outcome = await this.#process.run(order, {
        limit: { kind: 'wall', millis: timeoutMillis },
        signal,
        // The messages of `analysis-process.ts`.
        onStep: step => tell(step as Progress),
      })
      return this.#endingOf(outcome, timeoutMillis)
    } catch (error) {
      if (!(error instanceof ProcessNotStarted)) throw error
      this.#log(error.message)
      return { kind: 'failed', problems: [error.problem] }
    }
  }

  /** Ends what runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process[Symbol.asyncDispose]()
  }

  #endingOf(outcome: Outcome, timeoutMillis: number): Ending {
    switch (outcome.kind) {
      case 'done': {
        const ending = outcome.result as Ending
        // A result that arrived just before the stop counts.
        return ending.kind === 'cancelled' && outcome.stopped === 'time-limit' ? timedOut(timeoutMillis) : ending
      }
      case 'refused':
        return { kind: 'failed', problems: [outcome.problem] }
      case 'time-limit':
      case 'stalled':
        return timedOut(timeoutMillis)
      case 'cancelled':
        return { kind: 'cancelled' }
      case 'memory-limit':
        return this.#crashed(`An analysis took more than ${HEAP_MIB} MiB and was ended.`)
      case 'threw':
        return this.#crashed(outcome.stack)
      case 'died':
        return this.#crashed(`The process of an analysis: ${outcome.how}`)
    }
  }

  #crashed(text: string): Ending {
    this.#log(text)
    return { kind: 'failed', problems: [crash] }
  }
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
