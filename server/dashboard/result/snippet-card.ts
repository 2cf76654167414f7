/** What to write into the config, ready to be copied. */
import { html } from 'hono/html'
import { formatCount } from '../../../engine/render/figures.ts'
import type { Html } from '../page.ts'
import type { ConfigSnippets, Snippet } from './config-snippets.ts'

export function snippetCard(configSnippets: ConfigSnippets): Html {
  return html`<section class="card" aria-labelledby="paste-title">
<h2 id="paste-title">To paste</h2>
${body(configSnippets)}
</section>`
}

function body(configSnippets: ConfigSnippets): Html {
  switch (configSnippets.kind) {
    case 'nothing-to-change':
      return html`<p>Nothing: no other batch size would bring anything.</p>`
    case 'nothing-fits':
      return html`<p>No batch size fits, so there is nothing to paste.</p>`
    case 'by-hand':
      return html`<p>${configSnippets.why}</p><p>Set the micro-batch to <strong>${formatCount(configSnippets.plan.microBatch)}</strong> and the gradient accumulation to <strong>${formatCount(configSnippets.plan.gradientAccumulation)}</strong>.</p>`
    case 'snippets':
      return html`${configSnippets.snippets.map(snippet)}`
  }
}

function snippet({ title, text }: Snippet, index: number): Html {
  const id = `snippet-${index + 1}`
  return html`<div class="snippet-head"><h3>${title}</h3><button type="button" class="secondary small" data-copy="${id}" aria-label="Copy: ${title}" hidden>Copy</button></div>
<pre id="${id}" class="snippet" tabindex="0" role="region" aria-label="${title}"><code>${text}</code></pre>`
}
