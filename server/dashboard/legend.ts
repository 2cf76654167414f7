/** The legend of provenance: explains the words beside figures on every page. */
import { html } from 'hono/html'
import { chip } from './provenance.ts'

export const legend = html`<section class="card" aria-labelledby="legend-title"><h2 id="legend-title">Where a figure comes from</h2>
<dl class="legend">
<div><dt>${chip('measured')}</dt><dd>a GPU ran the step</dd></div>
<div><dt>${chip('traced')}</dt><dd>PyTorch traced the step, without a GPU</dd></div>
<div><dt>${chip('estimated')}</dt><dd>our model of memory, with its error band</dd></div>
<div><dt>${chip('modelled')}</dt><dd>our model of speed, and the costs that follow from it</dd></div>
</dl></section>`
