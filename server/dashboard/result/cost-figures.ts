/** Costs as text: by the server when it renders, by the page when its reader changes the terms. */
import { formatUsd } from '../../../engine/base/units.ts'
import { costPerRunUsd, type RunTerms, savingsPerRunUsd } from '../../../engine/metrics/cost.ts'
import type { Range } from '../../../engine/metrics/range.ts'
import { formatSignedUsd, formatUsdRange, formatYearlyRange } from '../../../engine/render/figures.ts'

export interface CostTerms extends RunTerms {
  readonly runsPerYear: number
}

/** Keys are the `data-cost` attributes in the page. */
export interface CostFigures {
  readonly now: string
  readonly recommended: string
  readonly year: string
}

/** `speedups`: both ends of the speedup's interval. */
export function costFigures(terms: CostTerms, speedup: number, speedups: Range): CostFigures {
  const yearly = (faster: number) => savingsPerRunUsd(terms, faster) * terms.runsPerYear
  return {
    now: formatUsd(costPerRunUsd(terms)),
    recommended:
      speedups.low < speedups.high
        ? formatUsdRange({ low: costPerRunUsd(terms, speedups.high), high: costPerRunUsd(terms, speedups.low) })
        : formatUsd(costPerRunUsd(terms, speedup)),
    year:
      speedup > 1
        ? formatYearlyRange({ low: yearly(speedups.low), high: yearly(speedups.high) })
        : formatSignedUsd(yearly(speedup)),
  }
}
