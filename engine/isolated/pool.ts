/** A few processes with limits, shared first come first served, and kept warm. */
import { LimitedProcess, type ProcessOptions } from '../isolation/limited-process.ts'

export class ProcessPool implements AsyncDisposable {
  readonly #all: readonly LimitedProcess[]
  /** The most recently used last, so that one is warm where one is enough. */
  readonly #idle: LimitedProcess[]
  readonly #waiting: ((process: LimitedProcess) => void)[] = []

  /** Starts none yet. */
  constructor(size: number, options: ProcessOptions) {
    this.#all = Array.from({ length: size }, () => new LimitedProcess(options))
    this.#idle = [...this.#all]
  }

  get size(): number {
    return this.#all.length
  }

  /** Starts one, so that the first work finds it warm; a failure shows there. */
  warmUp(): void {
    void this.use(process => process.start()).catch(() => {})
  }

  async use<T>(work: (process: LimitedProcess) => Promise<T>): Promise<T> {
    const process = this.#idle.pop() ?? (await new Promise<LimitedProcess>(resolve => this.#waiting.push(resolve)))
    try {
      return await work(process)
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#idle.push(process)
      else next(process)
    }
  }

  /** Ends every process, and with it what runs there. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map(process => process[Symbol.asyncDispose]()))
  }
}
