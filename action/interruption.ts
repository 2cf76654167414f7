/** A cancelled job: the runner sends SIGINT, SIGTERM 7.5 s later, and 2.5 s after that ends what is left. */

/** For what cannot be ended in the middle, such as an interpreter that starts. */
const GRACE_MILLIS = 2_000

/** As shells tell of a process that SIGINT ended. */
export const INTERRUPTED_EXIT_CODE = 130

export class Interruption implements Disposable {
  readonly #controller = new AbortController()
  readonly #abort = () => {
    this.#controller.abort()
    setTimeout(() => process.exit(INTERRUPTED_EXIT_CODE), GRACE_MILLIS).unref()
  }

  constructor() {
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
