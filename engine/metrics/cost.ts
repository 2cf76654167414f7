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

/** Share of a run's time, and so of its cost, that a speedup saves: below 0 where the recommended batch is the slower one. */
export function shareSaved(speedup: number): number {
  return 1 - 1 / speedup
}

export function savingsPerRunUsd(terms: RunTerms, speedup: number): number {
  return costPerRunUsd(terms) * shareSaved(speedup)
}
