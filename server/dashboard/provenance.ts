/** Shows how a figure is known, in words and by its outline. */
import { html } from 'hono/html'
import { memoryProvenance } from '../../engine/render/figures.ts'
import type { AnalysedConfig, Provenance } from '../../engine/report/schema.ts'
import type { Html } from './page.ts'

type Known = Provenance | AnalysedConfig['throughputProvenance']

/** `words`: more detail than the kind, such as the error band. */
export function chip(known: Known, words: string = known): Html {
  return html`<span class="chip ${known}">${words}</span>`
}

export function memoryChip(config: Pick<AnalysedConfig, 'provenance' | 'errorBandPercent'>): Html {
  return chip(config.provenance, memoryProvenance(config))
}
