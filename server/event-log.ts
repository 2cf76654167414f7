/** The events of one analysis, for any number of readers. Each reads at its own pace without a copy. */
import { type AnalysisEvent, type Happening, isFinal } from './analysis.ts'

export class EventLog {
  readonly #now: () => Date
  readonly #events: AnalysisEvent[] = []
  readonly #bells = new Set<Bell>()

  constructor(now: () => Date) {
    this.#now = now
  }

  /** Nothing may follow an ending. */
  append(happening: Happening): void {
    if (this.hasEnded) throw new Error(`"${happening.kind}" after the end of an analysis`)
    this.#events.push({ ...happening, sequence: this.#events.length + 1, at: this.#now().toISOString() })
    for (const bell of this.#bells) bell.ring()
  }

  get hasEnded(): boolean {
    const last = this.#events.at(-1)
    return last !== undefined && isFinal(last)
  }

  /** The sequence number of the last event; 0 before the first. */
  get lastSequence(): number {
    return this.#events.length
  }

  /** The events after `sequence`, as they happen. Ends after the last event, or when `signal` aborts. */
  async *after(sequence: number, signal: AbortSignal): AsyncGenerator<AnalysisEvent, void> {
    const bell = new Bell()
    this.#bells.add(bell)
    signal.addEventListener('abort', bell.ring, { once: true })
    try {
      let index = sequence
      while (!signal.aborted) {
        const event = this.#events[index]
        if (event !== undefined) {
          index++
          yield event
        } else if (this.hasEnded) {
          return
        } else {
          await bell.rung()
        }
      }
    } finally {
      this.#bells.delete(bell)
      signal.removeEventListener('abort', bell.ring)
    }
  }
}

/** Wakes one reader for new events. */
class Bell {
  #heard: (() => void) | undefined

  /** Resolves at the next event. */
  rung(): Promise<void> {
    return new Promise(resolve => {
      this.#heard = resolve
    })
  }

  readonly ring = (): void => {
    this.#heard?.()
  }
}
