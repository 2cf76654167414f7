/** The worker with the engine: taken when it is first asked, and ended and started anew where it takes too long. */
import type { Answered, Asked, FoundLevers } from './protocol.ts'
import type { Question } from './question.ts'

/** The worker was ended. */
type Ended =
  /** Another question came before the answer. */
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'timed-out'; readonly afterMillis: number }
  | { readonly kind: 'broken'; readonly why: string }

export type LeversOutcome = FoundLevers['levers'] | Ended

export type Outcome =
  /** `levers`: those that are still looked for. */
  (Answered['answer'] & { readonly levers?: Promise<LeversOutcome> }) | Ended

/** A worker, as it is spoken to. */
export interface Thread {
  postMessage(asked: Asked): void
  terminate(): void
}

/** What a worker says. */
export interface ThreadListener {
  readonly onAnswered: (answered: Answered) => void
  readonly onLevers: (found: FoundLevers) => void
  /** The worker ended, or could not be started. */
  readonly onBroken: (why: string) => void
}

export class Engine {
  readonly #start: (listener: ThreadListener) => Thread
  readonly #limitMillis: number
  #thread: Thread | undefined
  #number = 0
  #waiting: Waiting | undefined

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
    const afterMillis = this.#limitMillis
    const timer = setTimeout(() => this.#endWith({ kind: 'timed-out', afterMillis }), afterMillis)
    const [answer, levers] = [Promise.withResolvers<Outcome>(), Promise.withResolvers<LeversOutcome>()]
    this.#waiting = { number, timer, answer, levers }
    return answer.promise
  }

  /** A thread that was ended may have spoken just before: its words are nobody's any more. */
  #started(): Thread {
    const thread: Thread = this.#start({
      onAnswered: ({ number, answer, looksForLevers }) => {
        if (number !== this.#waiting?.number) return
        const { answer: asked, levers } = this.#waiting
        asked.resolve(looksForLevers ? { ...answer, levers: levers.promise } : answer)
        if (!looksForLevers) this.#settle()
      },
      onLevers: ({ number, levers }) => {
        if (number === this.#waiting?.number) this.#settle()?.levers.resolve(levers)
      },
      onBroken: why => {
        if (thread === this.#thread) this.#endWith({ kind: 'broken', why: why || 'its files cannot be loaded' })
      },
    })
    return thread
  }

  #settle(): Waiting | undefined {
    const settled = this.#waiting
    clearTimeout(settled?.timer)
    this.#waiting = undefined
    return settled
  }

  /** What has been told already stays told. */
  #endWith(outcome: Ended): void {
    this.#thread?.terminate()
    this.#thread = undefined
    const ended = this.#settle()
    ended?.answer.resolve(outcome)
    ended?.levers.resolve(outcome)
  }
}

/** A question that is being answered. */
interface Waiting {
  readonly number: number
  readonly timer: ReturnType<typeof setTimeout>
  readonly answer: PromiseWithResolvers<Outcome>
  readonly levers: PromiseWithResolvers<LeversOutcome>
}
