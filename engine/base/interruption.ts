/** Turns Ctrl-C and a cancelled CI job into an AbortSignal, so that work in progress can clean up. */

/** The exit code that shells give a process that SIGINT ended. */
export const INTERRUPTED = 130

/** Until disposed, the first SIGINT or SIGTERM aborts `signal`; a second one ends the process. */
export class Interruption implements Disposable {
  readonly #controller = new AbortController()
  readonly #graceMillis: number | undefined
  readonly #abort = () => {
    this.#controller.abort()
    if (this.#graceMillis !== undefined) setTimeout(() => process.exit(INTERRUPTED), this.#graceMillis).unref()
  }

  /** `graceMillis`: milliseconds after the first signal until the process ends even if work is still running. */
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
