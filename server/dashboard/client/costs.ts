/** The cost cards follow the terms as they are typed. */
import { type CostFigures, costFigures } from '../result/cost-figures.ts'

export function followCosts(part: HTMLElement): void {
  for (const costs of part.querySelectorAll<HTMLElement>('[data-costs]')) {
    const form = costs.querySelector('form')
    form?.addEventListener('input', () => {
      if (form.checkValidity()) write(costs, figuresOf(costs, form))
    })
  }
}

function figuresOf({ dataset }: HTMLElement, form: HTMLFormElement): CostFigures {
  const typed = new FormData(form)
  const terms = {
    pricePerHourUsd: Number(typed.get('price')),
    hoursPerRun: Number(typed.get('hours')),
    runsPerYear: Number(typed.get('runs')),
    gpus: Number(dataset.gpus),
  }
  const speedups = { low: Number(dataset.speedupLow), high: Number(dataset.speedupHigh) }
  return costFigures(terms, Number(dataset.speedup), speedups)
}

function write(costs: HTMLElement, figures: CostFigures): void {
  for (const [name, text] of Object.entries(figures)) {
    for (const place of costs.querySelectorAll(`[data-cost="${name}"]`)) place.textContent = text
  }
}
