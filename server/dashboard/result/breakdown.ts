/** Where the memory goes: a row a kind of bytes, as long as its share of the peak. */
import { html } from 'hono/html'
import { formatGib, formatPercent } from '../../../engine/base/units.ts'
import { partsOf } from '../../../engine/render/config-details.ts'
import { formatCount, formatPart } from '../../../engine/render/figures.ts'
import { capitalised, plainText } from '../../../engine/render/plain.ts'
import { peakHeadings, peakRows } from '../../../engine/render/run-peaks.ts'
import type { AnalysedConfig } from '../../../engine/report/schema.ts'
import type { Html, MaybeHtml } from '../page.ts'
import { chip, memoryChip } from '../provenance.ts'

export function breakdownCard(config: AnalysedConfig): Html {
  const { breakdown, current, peakMoment, provenance } = config
  const share = (bytes: number) => (current.peakBytes === 0 ? 0 : bytes / current.peakBytes)
  return html`<section class="card" aria-labelledby="breakdown-title">
<h2 id="breakdown-title">Where the memory goes ${provenance === 'estimated' ? chip('estimated') : chip('modelled')}</h2>
<p class="sub">At micro-batch ${formatCount(current.microBatch)}. The peak comes at: ${plainText(peakMoment, 200)}.</p>
<table class="breakdown">
<thead><tr><th scope="col">Kind</th><th scope="col">Memory</th><th scope="col">Share</th></tr></thead>
<tbody>${partsOf(breakdown).map(({ name, bytes }) => part(name, bytes, share(bytes)))}</tbody>
<tfoot><tr><th scope="row">peak ${memoryChip(config)}</th><td>${formatGib(current.peakBytes)}</td><td></td></tr></tfoot>
</table>
${peaksTable(config)}
</section>`
}

function peaksTable(config: AnalysedConfig): MaybeHtml {
  const rows = peakRows(config)
  if (rows.length === 0) return ''
  return html`<h3 id="peaks-title">Where the run could run out of memory</h3>
<div class="scroll" role="region" aria-labelledby="peaks-title" tabindex="0"><table>
<thead><tr>${peakHeadings.map(heading => html`<th scope="col">${capitalised(heading)}</th>`)}</tr></thead>
<tbody>${rows.map(([moment, ...cells]) => html`<tr><th scope="row">${moment}</th>${cells.map(cell => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`
}

/** `under 0.01 GiB` instead of 0. */
function shareText(share: number): string {
  return share < 0.005 ? 'under 1 %' : formatPercent(share)
}

function part(name: string, bytes: number, share: number): Html {
  const width = `${(100 * Math.min(1, share)).toFixed(1)}%`
  return html`<tr><th scope="row">${name}<svg class="share" width="100%" height="4" aria-hidden="true" focusable="false"><rect width="${width}" height="100%" rx="2"/></svg></th><td>${formatPart(bytes)}</td><td>${shareText(share)}</td></tr>`
}
