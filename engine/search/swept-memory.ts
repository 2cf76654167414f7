/** Memory according to a sweep: trials' own figures, and for other sizes the estimate corrected by them. */
import type { EstimateProbes } from '../probes/estimate.ts'
import { peakOf } from '../probes/trial.ts'
import { corrected } from './corrected.ts'
import type { TrialRecord } from './trial-record.ts'

export class SweptMemory {
  readonly #record: TrialRecord
  readonly #estimates: EstimateProbes
  readonly #largest: number

  /** `largest`: the micro-batch that the search found. */
  constructor(record: TrialRecord, estimates: EstimateProbes, largest: number) {
    this.#record = record
    this.#estimates = estimates
    this.#largest = largest
  }

  peakBytes(microBatch: number, accumulates: boolean): number {
    const known = this.#record.peak(microBatch, accumulates)
    if (known !== undefined) return known
    const tried = this.#record.trials.flatMap(({ microBatch, accumulates = false, outcome }) => {
      const peakBytes = peakOf(outcome)
      return peakBytes === undefined ? [] : [{ predictedBytes: this.#predicted(microBatch, accumulates), peakBytes }]
    })
    return corrected(tried)(this.#predicted(microBatch, accumulates))
  }

  /** With gradient accumulation, fewer sizes fit than the search found. */
  fits(microBatch: number, accumulates: boolean, margin = 0): boolean {
    const tried = this.#record.fits(microBatch, accumulates)
    if (tried === false || (tried === undefined && microBatch > this.#largest)) return false
    const isKnown = tried ?? !accumulates
    const limit = this.#estimates.of(accumulates).usableBytes * (1 - margin)
    return (isKnown && margin === 0) || this.peakBytes(microBatch, accumulates) <= limit
  }

  #predicted(microBatch: number, accumulates: boolean): number {
    return this.#estimates.of(accumulates).peakBytes(microBatch)
  }
}
