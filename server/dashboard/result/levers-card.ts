/** Levers as table rows, and the best with what they bring, what they cost and their lines. */
import { html } from 'hono/html'
import { helpful, leverDiff, leverHeadings, leverRow, leverSentences } from '../../../engine/render/levers.ts'
import type { AdvisedLever } from '../../../engine/report/advised-levers.ts'
import type { AnalysedConfig } from '../../../engine/report/schema.ts'
import type { Html } from '../page.ts'
import { chip } from '../provenance.ts'

/** Levers shown with their lines. */
const IN_FULL = 3

/** Of columns that say by themselves what they hold, to whoever sees them. */
const unseenHeadings: Readonly<Record<number, string>> = { 0: 'number', 3: 'result' }

export function leversCard(config: AnalysedConfig, levers: readonly AdvisedLever[]): Html {
  return html`<section class="card" aria-labelledby="levers-title">
<h2 id="levers-title">Ways to free memory ${chip('estimated')}</h2>
${levers.length === 0 ? html`<p>None of the changes that the config's tool has a setting for frees enough to matter.</p>` : told(helpful(levers), config)}
</section>`
}

function told(levers: readonly AdvisedLever[], config: AnalysedConfig): Html {
  return html`<div class="scroll" role="region" aria-label="Ways to free memory, as a table" tabindex="0"><table>
<thead><tr>${leverHeadings.map((heading, index) => html`<th scope="col">${heading || html`<span class="unseen">${unseenHeadings[index]}</span>`}</th>`)}</tr></thead>
<tbody>${levers.map((lever, index) => html`<tr>${leverRow(lever, index, config).map(cell => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>
${levers.slice(0, IN_FULL).map(inFull)}`
}

function inFull(lever: AdvisedLever, index: number): Html {
  const diff = leverDiff(lever)
  return html`<p><strong>${index + 1}.</strong> ${leverSentences(lever).join(' ')}</p>
${diff.length > 0 ? html`<pre class="snippet"><code>${diff.join('\n')}</code></pre>` : ''}`
}
