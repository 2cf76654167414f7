/** The costs as the cards write them: by the server when it renders, by the page when its reader changes the terms. */
import { costPerRunUsd, type RunTerms, savingsPerRunUsd } from '../../../metrics/cost.ts'
import { formatYearlyUsd } from '../../../render/figures.ts'
import { formatUsd } from '../../../units.ts'

export interface CostTerms extends RunTerms {
  readonly runsPerYear: number
}

/** Their keys are the `data-cost` marks in the page. */
export interface CostFigures {
  readonly now: string
  readonly recommended: string
  readonly year: string
}

export function costFigures(terms: CostTerms, speedup: number): CostFigures {
  return {
    now: formatUsd(costPerRunUsd(terms)),
    recommended: formatUsd(costPerRunUsd(terms, speedup)),
    year: signed(savingsPerRunUsd(terms, speedup) * terms.runsPerYear, formatYearlyUsd),
  }
}

function signed(usd: number, format: (usd: number) => string): string {
  return usd <= -0.5 ? `−${format(-usd)}` : format(Math.abs(usd))
}
