/** Tables that scroll sideways on a phone, what stands in their cells, and a link to the next page. */
import { html } from 'hono/html'
import { formatYearlyRange, formatYearlyUsd } from '../../../engine/render/figures.ts'
import type { ConfigRecord } from '../../repositories.ts'
import type { Html, MaybeHtml } from '../page.ts'

type Cell = Html | string

/** The first cell of a row is its header. */
export function dataTable(caption: string, headings: readonly string[], rows: readonly (readonly Cell[])[]): Html {
  return html`<div class="scroll wide" role="group" aria-label="${caption}" tabindex="0"><table>
<thead><tr>${headings.map(heading => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${rows.map(([first = '', ...cells]) => html`<tr><th scope="row">${first}</th>${cells.map(cell => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`
}

export function nextLink(href: string | undefined): MaybeHtml {
  return href === undefined ? '' : html`<p class="next"><a class="button secondary" href="${href}">Next page</a></p>`
}

/** UTC, to the minute. */
export function moment(at: string): Html {
  return html`<time datetime="${at}">${at.slice(0, 10)} <span class="dim">${at.slice(11, 16)} UTC</span></time>`
}

/** As the comment has it. Where nothing can be saved there is no range, nor was there one in older records. */
export function yearlySavings({ savingsPerYearUsd, savingsPerYearRangeUsd: range }: ConfigRecord): string {
  const isKnown = range !== undefined && range.high > Math.max(0, range.low)
  return isKnown ? formatYearlyRange(range) : formatYearlyUsd(savingsPerYearUsd)
}
