/** Samples a second at any size, from the sizes that were timed. */
import type { Trial } from '../probes/trial.ts'
import { widestSpread } from './spread.ts'

interface Reading {
  readonly microBatch: number
  /** Forward and backward of one micro-batch. */
  readonly microStepMillis: number
}

type Modelled = (microBatch: number, accumulation: number) => number | undefined

/** Only trials with a spread were timed after a warm-up; without any, throughput is modelled. */
export class Throughput {
  readonly #readings: readonly Reading[]
  readonly #optimizerMillis: number
  readonly #modelled: Modelled
  readonly #bandPercent: number | undefined

  constructor(trials: readonly Trial[], modelled: Modelled) {
    this.#bandPercent = widestSpread(trials, outcome => [outcome.stepMillis, outcome.stepMillisSpread])
    const timed = trials.flatMap(({ microBatch, outcome }) =>
      outcome.kind === 'fits' && outcome.stepMillis !== undefined && outcome.stepMillisSpread !== undefined
        ? [{ microBatch, stepMillis: outcome.stepMillis, optimizerMillis: outcome.optimizerMillis ?? 0 }]
        : [],
    )
    this.#readings = timed
      .map(({ microBatch, stepMillis, optimizerMillis }) => ({
        microBatch,
        microStepMillis: Math.max(Number.EPSILON, stepMillis - optimizerMillis),
      }))
      .toSorted((a, b) => a.microBatch - b.microBatch)
    this.#optimizerMillis = Math.min(...timed.map(({ optimizerMillis }) => optimizerMillis))
    this.#modelled = modelled
  }

  /** The widest spread of the timed steps, in percent of their median; undefined where none were. */
  get bandPercent(): number | undefined {
    return this.#bandPercent
  }

  get isKnown(): boolean {
    return this.samplesPerSecond(1, 1) !== undefined
  }

  /** Undefined where nothing was timed and no model knows the GPU's speed. */
  samplesPerSecond(microBatch: number, accumulation: number): number | undefined {
    if (this.#readings.length === 0) return this.#modelled(microBatch, accumulation)
    const stepMillis = accumulation * this.#microStepMillis(microBatch) + this.#optimizerMillis
    return (1_000 * microBatch * accumulation) / stepMillis
  }

  /** Linear interpolation between measurements; beyond them, the nearest measured time, scaled by the model if there is one. */
  #microStepMillis(microBatch: number): number {
    const above = this.#readings.find(reading => reading.microBatch >= microBatch)
    const below = this.#readings.findLast(reading => reading.microBatch <= microBatch)
    if (above && below) {
      const share = above === below ? 0 : (microBatch - below.microBatch) / (above.microBatch - below.microBatch)
      return below.microStepMillis + share * (above.microStepMillis - below.microStepMillis)
    }
    const nearest = above ?? below
    if (nearest === undefined) throw new Error('no reading to answer from')
    const [here, there] = [microBatch, nearest.microBatch].map(batch => this.#modelled(batch, 1))
    // Without a model, each sample is taken to be as fast as at the nearest size.
    const ratio = here === undefined || there === undefined ? 1 : there / here
    return nearest.microStepMillis * (microBatch / nearest.microBatch) * ratio
  }
}
