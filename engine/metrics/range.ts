/** The 90 % interval of a figure. */

export interface Range {
  readonly low: number
  readonly high: number
}

/** The interval of the real peak, in percent of the estimate: `lowPercent` is 0 or below, `highPercent` 0 or above. */
export interface MemoryBand {
  readonly lowPercent: number
  readonly highPercent: number
}

interface BandedPeak {
  readonly peakBytes: number
  readonly errorBand: MemoryBand
}

export function lowestPeak({ peakBytes, errorBand }: BandedPeak): number {
  return peakBytes * (1 + errorBand.lowPercent / 100)
}

export function highestPeak({ peakBytes, errorBand }: BandedPeak): number {
  return peakBytes * (1 + errorBand.highPercent / 100)
}

/** The share of a GPU's memory to leave free so that a peak fits throughout its error band. */
export function marginFor({ highPercent }: MemoryBand): number {
  return highPercent / (100 + highPercent)
}

/** The larger half of a band, at most 100. */
export function halfWidthPercent({ lowPercent, highPercent }: MemoryBand): number {
  return Math.min(100, Math.max(-lowPercent, highPercent))
}

/** A band as wide on both sides. */
export function symmetricBand(percent: number): MemoryBand {
  return { lowPercent: percent === 0 ? 0 : -percent, highPercent: percent }
}

/** The interval of a ratio of two throughputs, each measured to within `bandPercent`. */
export function ratioWithin(ratio: number, bandPercent: number): Range {
  const band = Math.min(bandPercent, 99) / 100
  return { low: (ratio * (1 - band)) / (1 + band), high: (ratio * (1 + band)) / (1 - band) }
}
