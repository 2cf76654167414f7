/** Which batch sizes fit, by estimate. */
import type { EstimateProbe } from '../probes/estimate.ts'
import type { Trial } from '../probes/trial.ts'
import type { Grid } from './grid.ts'
import { largestBatch, largestInUse } from './largest.ts'

export interface SizeTerms {
  readonly grid: Grid
  /** The config's size, on the grid or not. */
  readonly own: number
  /** Share of usable memory that a recommendation leaves free; at least `safety`. */
  readonly margin: number
  /** Share of usable memory to leave free so that a size fits throughout its error band. */
  readonly safety: number
}

/**
 * What fits into some memory fits into more, so does every smaller size, and so does a step that takes less at each moment, though the
 * allocator's fragments may happen to be worse there.
 */
export class EstimatedSizes {
  readonly #probe: () => EstimateProbe
  readonly #terms: SizeTerms
  readonly #ofMore: EstimatedSizes | undefined
  #largest: number | undefined
  #largestWithMargin: number | undefined

  /** `probe` is called when an answer is asked for. `ofMore`: of a step that takes no less at any moment. */
  constructor(probe: () => EstimateProbe, terms: SizeTerms, ofMore?: EstimatedSizes) {
    this.#probe = probe
    this.#terms = terms
    this.#ofMore = ofMore
  }

  get probe(): EstimateProbe {
    return this.#probe()
  }

  /**
   * The largest size on the grid, or the config's own if larger, that fits throughout the error band; 0 if not even one
   * sample does.
   */
  get largest(): number {
    const { safety } = this.#terms
    this.#largest ??= this.#orOfMore(Math.max(this.#find(safety), this.largestWithMargin), safety)
    return this.#largest
  }

  /** The first size on the grid of which the bytes in use alone are too much, whatever the allocator does and the error band allows. */
  get firstTooLarge(): number {
    const { grid } = this.#terms
    return grid.at(grid.indexOf(largestInUse(this.probe, grid) ?? 0) + 1)
  }

  get largestWithMargin(): number {
    const margin = Math.max(this.#terms.margin, this.#terms.safety)
    this.#largestWithMargin ??= this.#orOfMore(this.#find(margin), margin)
    return this.#largestWithMargin
  }

  fits(size: number): boolean {
    return this.probe.fits(size) || size <= this.largest
  }

  /** Wherever in the error band the peak lies. */
  fitsThroughout(size: number): boolean {
    return size <= this.largest
  }

  trial(size: number): Trial {
    const trial = this.probe.trial(size)
    return trial.outcome.kind !== 'fits' && this.fits(size) ? this.probe.trialBelow(size) : trial
  }

  /** `found`, or a larger size that fits the step that takes more, which is asked only where both have room on paper. */
  #orOfMore(found: number, margin: number): number {
    const more = this.#ofMore
    if (more === undefined) return found
    const { grid, own } = this.#terms
    const larger = [grid.at(grid.indexOf(found) + 1), ...(own > found ? [own] : [])]
    const hasRoom = larger.some(size => this.probe.mayFit(size, margin) && more.probe.mayFit(size, margin))
    return hasRoom ? more.#find(margin, found) : found
  }

  /** `known`: a size that fits. */
  #find(margin: number, known = 0): number {
    const { grid, own } = this.#terms
    const found = Math.max(known, largestBatch(this.probe, grid, margin, known) ?? 0)
    return own > found && this.probe.fits(own, margin) ? own : found
  }
}
