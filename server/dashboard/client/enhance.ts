/** Applies all enhancements to a part of a page: the whole page at first, later what is loaded. */
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

/** Replaces the page by that at an address, as a link would. */
function showResult(next: Document): void {
  const main = document.querySelector('main')
  const content = next.querySelector('main')
  if (main === null || content === null) return
  main.replaceChildren(...content.childNodes)
  document.title = next.title
  enhance(main)
  main.querySelector('h1')?.focus()
}
