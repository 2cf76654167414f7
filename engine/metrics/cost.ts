/** What runs cost, and what a faster batch saves: for the report, and for the dashboard when its reader changes the inputs. */

export interface RunTerms {
  /** Wall-clock hours of a run at the current batch. */
  readonly hoursPerRun: number
  readonly pricePerHourUsd: number
  readonly gpus: number
}

/** A run at `relativeSpeed` times the current samples per second. */
export function costPerRunUsd({ hoursPerRun, pricePerHourUsd, gpus }: RunTerms, relativeSpeed = 1): number {
  return (hoursPerRun * pricePerHourUsd * gpus) / relativeSpeed
}

/** cost × (1 − 1/speedup): below 0 where the recommended batch is the slower one. */
export function savingsPerRunUsd(terms: RunTerms, speedup: number): number {
  return costPerRunUsd(terms) * (1 - 1 / speedup)
}
