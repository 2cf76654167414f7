/** What this machine has, found out once and in the background: Python with PyTorch takes seconds to start. */
import { describeMachine, type Machine } from '../probes/device.ts'

export class KnownMachine implements AsyncDisposable {
  readonly #description: Promise<Machine>
  readonly #asking: AbortController
  #known: Machine | undefined

  private constructor(description: Promise<Machine>, asking = new AbortController()) {
    this.#asking = asking
    this.#description = description.then(machine => {
      this.#known = machine
      return machine
    })
  }

  /** `python`: the interpreter's command. */
  static ask(python: string): KnownMachine {
    const asking = new AbortController()
    return new KnownMachine(describeMachine(python, asking.signal), asking)
  }

  static of(machine: Machine): KnownMachine {
    return new KnownMachine(Promise.resolve(machine))
  }

  /** Undefined while it is being found out. */
  get ifKnown(): Machine | undefined {
    return this.#known
  }

  get description(): Promise<Machine> {
    return this.#description
  }

  /** Ends Python where it has not yet answered. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#asking.abort()
    await this.#description
  }
}
