/** What happened to one analysis so far, for any number of readers. Each reads at its own pace and holds no copy. */
import { type AnalysisEvent, type Happening, isFinal } from './analysis.ts'

export class EventLog {
  readonly #now: () => Date
  readonly #events: AnalysisEvent[] = []
  readonly #waiting = new Set<() => void>()

  constructor(now: () => Date) {
    this.#now = now
  }

  /** Nothing may follow an ending. */
  append(happening: Happening): void {
    if (this.hasEnded) throw new Error(`"${happening.kind}" after the end of an analysis`)
    this.#events.push({ ...happening, sequence: this.#events.length + 1, at: this.#now().toISOString() })
    for (const wake of [...this.#waiting]) wake()
  }

  get hasEnded(): boolean {
    const last = this.#events.at(-1)
    return last !== undefined && isFinal(last)
  }

  /** Of the last event; 0 before the first. */
  get lastSequence(): number {
    return this.#events.length
  }

  /** The events after number `sequence`, each as it happens. Ends after the ending, or when `signal` is aborted. */
  async *after(sequence: number, signal: AbortSignal): AsyncGenerator<AnalysisEvent, void> {
    let index = sequence
    while (!signal.aborted) {
      const event = this.#events[index]
      if (event !== undefined) {
        index++
        yield event
      } else if (this.hasEnded) {
        return
      } else {
        await this.#next(signal)
      }
    }
  }

  #next(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
    })
  }
}
