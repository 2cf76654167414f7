/** The worker with the engine, started when it is first asked, and ended and started anew where it takes too long. */
import type { Answered, Asked } from './protocol.ts'
import type { Question } from './question.ts'

export type Outcome =
  | Answered['answer']
  /** Another question came before the answer. */
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'timed-out'; readonly afterMillis: number }

/** A worker, as it is spoken to. */
export interface Thread {
  postMessage(asked: Asked): void
  terminate(): void
}

/** What a worker says. */
export interface ThreadListener {
  readonly onAnswered: (answered: Answered) => void
  /** The worker ended, or could not be started. */
  readonly onBroken: (why: string) => void
}

export class Engine {
  readonly #start: (listener: ThreadListener) => Thread
  readonly #limitMillis: number
  #thread: Thread | undefined
  #number = 0
  /** Of the question that is being answered. */
  #waiting: { readonly number: number; readonly finish: (outcome: Outcome) => void } | undefined

  constructor(start: (listener: ThreadListener) => Thread, limitMillis: number) {
    this.#start = start
    this.#limitMillis = limitMillis
  }

  /** A question that is still being answered is given up. */
  ask(question: Question): Promise<Outcome> {
    if (this.#waiting !== undefined) this.#endWith({ kind: 'overtaken' })
    const number = ++this.#number
    this.#thread ??= this.#started()
    this.#thread.postMessage({ number, question })
    return new Promise(resolve => {
      const afterMillis = this.#limitMillis
      const timer = setTimeout(() => this.#endWith({ kind: 'timed-out', afterMillis }), afterMillis)
      const finish = (outcome: Outcome) => {
        clearTimeout(timer)
        this.#waiting = undefined
        resolve(outcome)
      }
      this.#waiting = { number, finish }
    })
  }

  /** A thread that was ended may have spoken just before: its words are nobody's any more. */
  #started(): Thread {
    const thread: Thread = this.#start({
      onAnswered: ({ number, answer }) => {
        if (number === this.#waiting?.number) this.#waiting.finish(answer)
      },
      onBroken: why => {
        if (thread === this.#thread) this.#endWith({ kind: 'broken', why: why || 'its files cannot be loaded' })
      },
    })
    return thread
  }

  #endWith(outcome: Outcome): void {
    this.#thread?.terminate()
    this.#thread = undefined
    this.#waiting?.finish(outcome)
  }
}
