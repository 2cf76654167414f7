/** Which sizes fit, by our own model. */
import type { EstimateProbe } from '../probes/estimate.ts'
import type { Trial } from '../probes/trial.ts'
import type { Grid } from './grid.ts'
import { largestBatch } from './largest.ts'

export interface SizeTerms {
  readonly grid: Grid
  /** The config's size, on the grid or not. */
  readonly own: number
  /** Share of usable memory that a recommendation leaves free. */
  readonly margin: number
}

/**
 * What fits into some memory fits into more, and so does every smaller size, though the allocator's fragments may happen to be
 * worse there.
 */
export class EstimatedSizes {
  readonly #probe: () => EstimateProbe
  readonly #terms: SizeTerms
  #largest: number | undefined
  #largestWithMargin: number | undefined

  /** `probe` is called when an answer is asked for. */
  constructor(probe: () => EstimateProbe, terms: SizeTerms) {
    this.#probe = probe
    this.#terms = terms
  }

  get probe(): EstimateProbe {
    return this.#probe()
  }

  /** On the grid, or the config's own where that is larger; 0 where not even one sample fits. */
  get largest(): number {
    this.#largest ??= Math.max(this.#find(0), this.largestWithMargin)
    return this.#largest
  }

  get largestWithMargin(): number {
    this.#largestWithMargin ??= this.#find(this.#terms.margin)
    return this.#largestWithMargin
  }

  fits(size: number): boolean {
    return this.probe.fits(size) || size <= this.largest
  }

  trial(size: number): Trial {
    const trial = this.probe.trial(size)
    return trial.outcome.kind !== 'fits' && this.fits(size) ? this.probe.trialBelow(size) : trial
  }

  #find(margin: number): number {
    const { grid, own } = this.#terms
    const found = largestBatch(this.probe, grid, margin) ?? 0
    return own > found && this.probe.fits(own, margin) ? own : found
  }
}
