/** Every improvement, on any part of a page: the whole at first, and what is brought in later. */
import { drawCharts } from './charts.ts'
import { offerCopies } from './copy.ts'
import { followCosts } from './costs.ts'
import { followAnalysis } from './follow.ts'
import { loadLater } from './load.ts'
import { letDismiss } from './notices.ts'

export function enhance(part: HTMLElement): void {
  letDismiss(part)
  offerCopies(part)
  followCosts(part)
  drawCharts(part)
  loadLater(part)
  followAnalysis(part, showResult)
}

/** Takes over the page that an address now gives, as a link to it would. */
function showResult(next: Document): void {
  const main = document.querySelector('main')
  const content = next.querySelector('main')
  if (main === null || content === null) return
  main.replaceChildren(...content.childNodes)
  document.title = next.title
  enhance(main)
  main.querySelector('h1')?.focus()
}
