import type { Storage } from '../tape/storage.ts'
import type { Exchange, Memory } from './exchange.ts'

/** Exchanges nothing and tells what a step uses, in order: how DeepSpeed itself finds out, in its first steps. */
export class Watching implements Exchange {
  readonly resident = []
  readonly partAtATime = 1
  readonly stepsFlat = false
  readonly #memory: Memory
  readonly #tell: (used: readonly Storage[]) => void

  constructor(memory: Memory, tell: (used: readonly Storage[]) => void) {
    this.#memory = memory
    this.#tell = tell
  }

  begins(used: readonly Storage[]): void {
    this.#tell(used)
  }

  receives(_parameter: Storage, gradient: Storage): void {
    this.#memory.release(gradient)
  }

  forwardEnds(): void {}
  backwardEnds(): void {}
  optimizerBegins(): void {}
  optimizerEnds(): void {}
  gradientsEnd(): void {}
}
