/** From readings to bands: where the next reading of a class is to be expected, in percent of the estimate. */
import {
  type BandClass,
  type BandLimits,
  MIN_READINGS,
  nearestBand,
  TRACED_BAND_PERCENT,
} from '../../engine/estimate/error-band.ts'

/** How far one reading lies from its estimate, in percent of the estimate. */
export interface Deviation {
  readonly of: BandClass
  /** Who measured, and where. */
  readonly source: string
  readonly percent: number
}

const COVERED_SHARE = 0.9
/** With fewer, a tenth of them is less than one reading, and what they cover by themselves is no band for others. */
const ENOUGH_READINGS = 10

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

/** Of those nearest to 0. */
function nearest(percents: readonly number[]): [low: number, high: number] {
  const count = Math.ceil(percents.length * COVERED_SHARE)
  const covered = percents.toSorted((a, b) => Math.abs(a) - Math.abs(b)).slice(0, count)
  return [Math.min(...covered), Math.max(...covered)]
}

export type ReadBands = Partial<Record<BandClass, BandLimits & { readonly readings: number }>>

/** A class with too few readings has limits that nobody uses: see `nearestBand`. */
export function bandsOf(deviations: readonly Deviation[]): ReadBands {
  const classes = [...Map.groupBy(deviations, ({ of }) => of)].toSorted(([one], [other]) => one.localeCompare(other))
  return Object.fromEntries(
    classes.map(([of, ofClass]) => {
      const percents = ofClass.map(({ percent }) => percent)
      const limits = percents.length < MIN_READINGS ? { lowPercent: 0, highPercent: 0 } : bandFrom(percents)
      return [of, { ...limits, readings: percents.length }]
    }),
  )
}

/** How many readings of each source lie in the bands that the other sources alone would give. */
export function heldOutLines(deviations: readonly Deviation[]): string[] {
  const sources = [...new Set(deviations.map(({ source }) => source))]
  const held = sources.map(source => {
    const bands = bandsOf(deviations.filter(one => one.source !== source))
    const own = deviations.filter(one => one.source === source)
    const inside = own.filter(({ of, percent }) => {
      const { lowPercent, highPercent } = nearestBand(of, bands)
      return lowPercent <= percent && percent <= highPercent
    })
    return { source, readings: own.length, inside: inside.length }
  })
  const all = held.reduce((sum, { readings }) => sum + readings, 0)
  const inside = held.reduce((sum, one) => sum + one.inside, 0)
  return [
    'memory, each source held against bands from the other sources alone:',
    ...held.map(one => `  ${one.inside} of ${one.readings} inside  ${one.source}`),
    `  ${inside} of ${all} in all`,
  ]
}
