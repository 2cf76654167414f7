/** Describes this machine once, in the background, because Python with PyTorch takes seconds to start. */
import { describeMachine, type Machine } from '../engine/probes/device.ts'

export class KnownMachine implements AsyncDisposable {
  readonly #asking = new AbortController()
  readonly #description: Promise<Machine>
  #known: Machine | undefined

  private constructor(describe: (signal: AbortSignal) => Promise<Machine>, known?: Machine) {
    this.#known = known
    this.#description = describe(this.#asking.signal).then(machine => {
      this.#known = machine
      return machine
    })
  }

  /** `python`: the interpreter's command. */
  static ask(python: string): KnownMachine {
    return new KnownMachine(signal => describeMachine(python, signal))
  }

  static of(machine: Machine): KnownMachine {
    return new KnownMachine(async () => machine, machine)
  }

  /** Undefined while it is being found out. */
  get ifKnown(): Machine | undefined {
    return this.#known
  }

  get description(): Promise<Machine> {
    return this.#description
  }

  /** Ends Python if it has not answered yet. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#asking.abort()
    await this.#description
  }
}
