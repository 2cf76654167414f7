/** What the rows of a run's moments are made from, and how each is judged. */
import type { FootprintCache } from '../estimate/footprint-cache.ts'
import type { Gpu } from '../gpus/catalogue.ts'
import { highestPeak, lowestPeak, type MemoryBand } from '../metrics/range.ts'
import type { Provenance } from '../probes/trial.ts'
import type { OperatingPoint, RunPeak } from './schema.ts'

export interface RunPeakOptions {
  readonly gpu: Gpu
  readonly footprints: FootprintCache
  readonly usableBytes: number
  readonly current: OperatingPoint
  readonly provenance: Provenance
  readonly errorBand: MemoryBand
  /** Measured peaks of the team's runs over estimated ones, as a factor. */
  readonly memoryFactor: number
}

/** A row whose memory is estimated. */
export function estimatedRow(phase: RunPeak['phase'], bytes: number, options: RunPeakOptions): RunPeak {
  const peakBytes = bytes * options.memoryFactor
  return { phase, peakBytes, state: stateOf(peakBytes, options), provenance: 'estimated' }
}

export function stateOf(peakBytes: number, { usableBytes, errorBand }: RunPeakOptions): RunPeak['state'] {
  if (lowestPeak({ peakBytes, errorBand }) > usableBytes) return 'does-not-fit'
  return highestPeak({ peakBytes, errorBand }) > usableBytes ? 'may-not-fit' : 'fits'
}
