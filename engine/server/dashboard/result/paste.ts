/** What to write into the config, ready to be copied. */
import { html } from 'hono/html'
import { formatCount } from '../../../render/figures.ts'
import type { Html } from '../page.ts'
import type { Snippet, ToPaste } from './to-paste.ts'

export function pasteCard(toPaste: ToPaste): Html {
  return html`<section class="card" aria-labelledby="paste-title">
<h2 id="paste-title">To paste</h2>
${body(toPaste)}
</section>`
}

function body(toPaste: ToPaste): Html {
  switch (toPaste.kind) {
    case 'nothing-to-change':
      return html`<p>Nothing: no other batch size would bring anything.</p>`
    case 'nothing-fits':
      return html`<p>No batch size fits, so there is nothing to paste.</p>`
    case 'by-hand':
      return html`<p>${toPaste.why}</p><p>Set the micro-batch to <strong>${formatCount(toPaste.plan.microBatch)}</strong> and the gradient accumulation to <strong>${formatCount(toPaste.plan.gradientAccumulation)}</strong>.</p>`
    case 'snippets':
      return html`${toPaste.snippets.map(snippet)}`
  }
}

function snippet({ title, text }: Snippet, index: number): Html {
  const id = `snippet-${index + 1}`
  return html`<div class="snippet-head"><h3>${title}</h3><button type="button" class="secondary small" data-copy="${id}" aria-label="Copy: ${title}" hidden>Copy</button></div>
<pre id="${id}" class="snippet" tabindex="0" role="region" aria-label="${title}"><code>${text}</code></pre>`
}
