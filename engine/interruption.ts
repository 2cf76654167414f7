/** Ctrl-C, and a runner that cancels its job: told to what runs by a signal, instead of ending the process in the middle. */

/** As shells tell of a process that SIGINT ended. */
export const INTERRUPTED = 130

/** While it is held, the first SIGINT or SIGTERM aborts `signal`; a second one ends the process. */
export class Interruption implements Disposable {
  readonly #controller = new AbortController()
  readonly #graceMillis: number | undefined
  readonly #abort = () => {
    this.#controller.abort()
    if (this.#graceMillis !== undefined) setTimeout(() => process.exit(INTERRUPTED), this.#graceMillis).unref()
  }

  /** `graceMillis`: after so long the process ends, whatever still runs. */
  constructor({ graceMillis }: { readonly graceMillis?: number } = {}) {
    this.#graceMillis = graceMillis
    process.once('SIGINT', this.#abort)
    process.once('SIGTERM', this.#abort)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  [Symbol.dispose](): void {
    process.off('SIGINT', this.#abort)
    process.off('SIGTERM', this.#abort)
  }
}
