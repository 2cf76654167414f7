/** The trials of one sweep; each size runs once, unless more steps are requested. */
import type { Probe, ProbedDevice } from '../probes/probe.ts'
import { peakOf, type Trial } from '../probes/trial.ts'
import { type Tried, triedOf } from './strategy.ts'

interface Listeners {
  readonly signal?: AbortSignal
  readonly onStart?: (microBatch: number) => void
  readonly onTrial?: (trial: Trial, device: ProbedDevice) => void
}

export class TrialRecord {
  readonly #probe: Probe
  readonly #listeners: Listeners
  readonly #known = new Map<number, { readonly trial: Trial; readonly steps: number }>()

  constructor(probe: Probe, listeners: Listeners = {}) {
    this.#probe = probe
    this.#listeners = listeners
  }

  /** Ascending by size. */
  get trials(): Trial[] {
    return [...this.#known.values()].map(({ trial }) => trial).toSorted((a, b) => a.microBatch - b.microBatch)
  }

  get tried(): Tried[] {
    return this.trials.flatMap(triedOf)
  }

  get knowsPeaks(): boolean {
    return this.tried.some(({ peakBytes }) => peakBytes !== undefined)
  }

  peak(microBatch: number): number | undefined {
    const known = this.#known.get(microBatch)
    return known && peakOf(known.trial.outcome)
  }

  /** Undefined where the size was not tried. */
  fits(microBatch: number): boolean | undefined {
    const known = this.#known.get(microBatch)
    return known && known.trial.outcome.kind === 'fits'
  }

  async run(microBatch: number, steps = 0): Promise<Trial> {
    const known = this.#known.get(microBatch)
    if (known && (known.steps >= steps || known.trial.outcome.kind !== 'fits')) return known.trial
    const { signal, onStart, onTrial } = this.#listeners
    onStart?.(microBatch)
    const trial = await this.#probe.trial(microBatch, { ...(steps > 0 && { steps }), ...(signal && { signal }) })
    // An aborted trial says nothing about the size.
    if (signal?.aborted) return trial
    this.#known.set(microBatch, { trial, steps })
    onTrial?.(trial, this.#probe.device)
    return trial
  }
}
