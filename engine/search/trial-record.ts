/** The trials of one sweep; each runs once, unless more steps are requested. */
import type { Probe, ProbedDevice } from '../probes/probe.ts'
import { peakOf, type Trial } from '../probes/trial.ts'

interface Listeners {
  readonly signal?: AbortSignal
  readonly onStart?: (microBatch: number) => void
  readonly onTrial?: (trial: Trial, device: ProbedDevice) => void
}

interface Known {
  readonly trial: Trial
  readonly steps: number
}

export class TrialRecord {
  readonly #probe: Probe
  readonly #listeners: Listeners
  /** By size: without gradient accumulation, and with it. */
  readonly #alone = new Map<number, Known>()
  readonly #accumulating = new Map<number, Known>()

  constructor(probe: Probe, listeners: Listeners = {}) {
    this.#probe = probe
    this.#listeners = listeners
  }

  /** Ascending by size. */
  get trials(): Trial[] {
    return [...this.#alone.values(), ...this.#accumulating.values()]
      .map(({ trial }) => trial)
      .toSorted((a, b) => a.microBatch - b.microBatch)
  }

  get knowsPeaks(): boolean {
    return this.trials.some(({ outcome }) => peakOf(outcome) !== undefined)
  }

  peak(microBatch: number, accumulates: boolean): number | undefined {
    const known = this.#known(accumulates).get(microBatch)
    return known && peakOf(known.trial.outcome)
  }

  /** Undefined if it was not tried. */
  fits(microBatch: number, accumulates: boolean): boolean | undefined {
    const known = this.#known(accumulates).get(microBatch)
    return known && known.trial.outcome.kind === 'fits'
  }

  async run(microBatch: number, { accumulates = false, steps = 0 } = {}): Promise<Trial> {
    const known = this.#known(accumulates).get(microBatch)
    if (known && (known.steps >= steps || known.trial.outcome.kind !== 'fits')) return known.trial
    const { signal, onStart, onTrial } = this.#listeners
    onStart?.(microBatch)
    const options = { accumulates, ...(steps > 0 && { steps }), ...(signal && { signal }) }
    const trial = await this.#probe.trial(microBatch, options)
    // An aborted trial says nothing about the size.
    if (signal?.aborted) return trial
    this.#known(accumulates).set(microBatch, { trial, steps })
    onTrial?.(trial, this.#probe.device)
    return trial
  }

  #known(accumulates: boolean): Map<number, Known> {
    return accumulates ? this.#accumulating : this.#alone
  }
}
