/** Turns readings into error bands: where the next reading of a class is expected, in percent of the estimate. */
import {
  type BandClass,
  type BandLimits,
  MIN_READINGS,
  nearestBand,
  nearestClass,
  TRACED_BAND_PERCENT,
} from '../../engine/estimate/error-band.ts'
import { type ReadingKind, readingKinds } from './readings.ts'

/** The difference of a reading from its estimate, in percent of the estimate. */
export interface Deviation {
  readonly of: BandClass
  /** Who measured, and where. */
  readonly source: string
  readonly percent: number
  readonly kind: ReadingKind
}

const COVERED_SHARE = 0.9
/** With fewer readings, the interval that covers nine tenths of them is not a reliable band. */
const ENOUGH_READINGS = 10
/** Readings of fewer sources are not trusted alone. */
const ENOUGH_SOURCES = 3

/** The 95 % quantile of Student's t distribution, by degrees of freedom from 1 on. */
const STUDENT_95 = [6.314, 2.92, 2.353, 2.132, 2.015, 1.943, 1.895, 1.86]

/**
 * Where nine of ten readings are expected: with many, the interval that covers nine of ten of them; with few, the 90 % prediction
 * interval for one more reading of a normal distribution, which is wider than what those few cover. Never narrower than the trace's.
 * Needs two readings.
 */
export function bandFrom(percents: readonly number[]): BandLimits {
  const [low, high] = percents.length < ENOUGH_READINGS ? predictionInterval(percents) : nearest(percents)
  return {
    lowPercent: Math.min(-TRACED_BAND_PERCENT, Math.floor(low)),
    highPercent: Math.max(TRACED_BAND_PERCENT, Math.ceil(high)),
  }
}

function predictionInterval(percents: readonly number[]): [low: number, high: number] {
  const count = percents.length
  const mean = percents.reduce((sum, percent) => sum + percent, 0) / count
  const variance = percents.reduce((sum, percent) => sum + (percent - mean) ** 2, 0) / (count - 1)
  const half = (STUDENT_95[count - 2] ?? Number.NaN) * Math.sqrt(variance * (1 + 1 / count))
  return [mean - half, mean + half]
}

/** The quantile over the readings nearest to 0. */
function nearest(percents: readonly number[]): [low: number, high: number] {
  const count = Math.ceil(percents.length * COVERED_SHARE)
  const covered = percents.toSorted((a, b) => Math.abs(a) - Math.abs(b)).slice(0, count)
  return [Math.min(...covered), Math.max(...covered)]
}

export type ReadBands = Partial<Record<BandClass, BandLimits & { readonly readings: number }>>

/**
 * A class with too few readings has limits that nobody uses: see `nearestBand`. Training that no trace has confirmed in part is not
 * known better than the same kind that is confirmed: its band contains the other's. Readings of one source have their versions and
 * their code in common, and a second source may have code of its own (LitGPT's models beside transformers'): a band from fewer than
 * three contains that of the nearest class.
 */
export function bandsOf(deviations: readonly Deviation[]): ReadBands {
  const classes = Map.groupBy(deviations, ({ of }) => of)
  const own = (of: BandClass): BandLimits | undefined => {
    const percents = (classes.get(of) ?? []).map(({ percent }) => percent)
    return percents.length < MIN_READINGS ? undefined : bandFrom(percents)
  }
  const contained = (of: BandClass, ofClass: readonly Deviation[]) => {
    const isOfFewSources = new Set(ofClass.map(({ source }) => source)).size < ENOUGH_SOURCES
    return [of, ...(tracedSibling[of] ?? []), ...(isOfFewSources ? [nearestClass[of]] : [])].map(own)
  }
  const sorted = [...classes].toSorted(([one], [other]) => one.localeCompare(other))
  return Object.fromEntries(
    sorted.map(([of, ofClass]) => {
      const all = own(of) === undefined ? [] : contained(of, ofClass).filter(limits => limits !== undefined)
      const lowPercent = Math.min(0, ...all.map(limits => limits.lowPercent))
      const highPercent = Math.max(0, ...all.map(limits => limits.highPercent))
      return [of, { lowPercent, highPercent, readings: ofClass.length }]
    }),
  )
}

const tracedSibling: Partial<Record<BandClass, readonly BandClass[]>> = {
  'full training on one GPU, in part untraced': ['full training on one GPU'],
  'adapters on one GPU, in part untraced': ['adapters on one GPU'],
  'several GPUs, in part untraced': ['several GPUs'],
}

/** How many readings of each source lie in the bands that the other sources alone would give. */
export function heldOutLines(deviations: readonly Deviation[]): string[] {
  const sources = [...new Set(deviations.map(({ source }) => source))]
  const held = sources.flatMap(source => {
    const bands = bandsOf(deviations.filter(one => one.source !== source))
    return deviations
      .filter(one => one.source === source)
      .map(one => {
        const { lowPercent, highPercent } = nearestBand(one.of, bands)
        return { ...one, isInside: lowPercent <= one.percent && one.percent <= highPercent }
      })
  })
  const insideOf = (some: typeof held) => `${some.filter(({ isInside }) => isInside).length} of ${some.length}`
  return [
    'memory, each source held against bands from the other sources alone:',
    ...sources.map(source => `  ${insideOf(held.filter(one => one.source === source))} inside  ${source}`),
    ...readingKinds.map(kind => `  ${insideOf(held.filter(one => one.kind === kind))} ${kind}`),
    `  ${insideOf(held)} in all`,
  ]
}
