import type { Storage } from '../tape/storage.ts'
import type { ExchangeContext } from './exchange.ts'

/** The gradients that parameters hold: the first to come becomes `.grad`, later ones are added to it in place. */
export class HeldGradients {
  readonly #context: Pick<ExchangeContext, 'memory' | 'kept'>
  readonly #held = new Map<Storage, Storage>()

  constructor(context: Pick<ExchangeContext, 'memory' | 'kept'>) {
    this.#context = context
  }

  add(parameter: Storage, gradient: Storage): void {
    const held = this.#held.get(parameter)
    if (held !== undefined) this.#context.memory.release(gradient)
    else this.#held.set(parameter, gradient)
    if (!this.#context.kept(parameter)) return
    this.#held.delete(parameter)
    this.#context.memory.release(held ?? gradient)
  }

  /** Hands it over. */
  take(parameter: Storage): Storage | undefined {
    const gradient = this.#held.get(parameter)
    this.#held.delete(parameter)
    return gradient
  }

  takeAll(): readonly Storage[] {
    const gradients = [...this.#held.values()]
    this.#held.clear()
    return gradients
  }

  release(): void {
    for (const gradient of this.#held.values()) this.#context.memory.release(gradient)
    this.#held.clear()
  }
}
