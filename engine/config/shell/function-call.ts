/** The call of a shell function: its words as `$1`, `$2` and `$@`, and what it holds for itself alone. */
import type { Command } from 'unbash'
import type { Given, Held } from './given.ts'

const MAX_NUMBERED = 9

export class FunctionCall {
  readonly #variables: Map<string, Held>
  /** What those held before that it has for itself. */
  readonly #outer = new Map<string, Held | undefined>()
  #words: readonly Given[]

  constructor(variables: Map<string, Held>, words: readonly Given[]) {
    this.#variables = variables
    this.#words = words
    for (const name of ['@', ...Array.from({ length: MAX_NUMBERED }, (_, index) => `${index + 1}`)]) this.local(name)
    this.#number()
  }

  /** `local name` */
  local(name: string): void {
    if (!this.#outer.has(name)) this.#outer.set(name, this.#variables.get(name))
  }

  /** Undefined for `shift` alone. By what only a run knows, nothing is known of what follows. */
  shift(by: Command['suffix'][number] | undefined): void {
    const count = by === undefined ? 1 : by.type === 'Word' ? Number(by.value) : Number.NaN
    this.#words = Number.isInteger(count) ? this.#words.slice(count) : []
    this.#number()
  }

  end(): void {
    for (const [name, held] of this.#outer) this.#set(name, held)
  }

  #number(): void {
    this.#set('@', { isArray: true, words: this.#words })
    for (let index = 0; index < MAX_NUMBERED; index++) {
      const word = this.#words[index]
      this.#set(`${index + 1}`, word && { isArray: false, words: [word] })
    }
  }

  #set(name: string, held: Held | undefined): void {
    if (held === undefined) this.#variables.delete(name)
    else this.#variables.set(name, held)
  }
}
