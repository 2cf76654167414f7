/** The result of an analysis: the verdict, what to change, and everything that stands behind it. */
import { html } from 'hono/html'
import { advice, fineRemark } from '../../../engine/render/advice.ts'
import { formatCount } from '../../../engine/render/figures.ts'
import { capitalised, plainText } from '../../../engine/render/plain.ts'
import { type Finding, findingOf } from '../../../engine/render/verdict.ts'
import type { AnalysedConfig, Verdict } from '../../../engine/report/schema.ts'
import type { Html, MaybeHtml } from '../page.ts'
import { chip, memoryChip } from '../provenance.ts'
import { verdictText } from '../verdict-text.ts'
import { breakdownCard } from './breakdown.ts'
import type { ConfigSnippets } from './config-snippets.ts'
import { curves } from './curves.ts'
import { gains, type Terms } from './gains.ts'
import { groundsCard } from './grounds.ts'
import { memoryBars } from './memory-bars.ts'
import { overStepCard } from './over-step-card.ts'
import { sizesCard } from './sizes.ts'
import { snippetCard } from './snippet-card.ts'

export interface ResultOptions {
  readonly terms: Terms
  readonly configSnippets: ConfigSnippets
  readonly levers: MaybeHtml
}

export function result(config: AnalysedConfig, { terms, configSnippets, levers }: ResultOptions): Html {
  return html`${verdict(config)}
${memoryBars(config)}
${gains(config, terms)}
${curves(config)}
${overStepCard(config)}
<div class="columns">${snippetCard(configSnippets)}${breakdownCard(config)}</div>
${levers}
${sizesCard(config)}
${groundsCard(config)}`
}

/** `google-bert/bert-base-uncased on NVIDIA A10`, or `… on 4 × NVIDIA A10`. */
export function resultTitle({ spec, gpu }: AnalysedConfig): string {
  const count = spec.gpus === 1 ? '' : `${formatCount(spec.gpus)} × `
  return `${plainText(spec.model, 100)} on ${count}${plainText(gpu.name, 60)}`
}

function verdict(config: AnalysedConfig): Html {
  const sentences = findingOf(config) === 'fine' ? [`${capitalised(fineRemark(config))}.`] : advice(config)
  const { state } = config.verdict
  return html`<section class="verdict" aria-label="Verdict">
<p class="state ${state}"><span class="badge">${stateText(state)}</span> ${findingText(findingOf(config))} ${config.current.fits && config.verdict.reasons.length > 0 ? html`<span class="why">${verdictText(config.verdict)}</span>` : ''}</p>
${sentences.map(sentence => html`<p>${sentence}</p>`)}
<p class="known">Memory ${memoryChip(config)} throughput and cost ${chip(config.throughputProvenance)}</p>
</section>`
}

/** What the check on a pull request would say. */
function stateText(state: Verdict['state']): string {
  switch (state) {
    case 'blocked':
      return 'Would block'
    case 'warning':
      return 'Warning'
    case 'fine':
      return 'Fine'
  }
}

function findingText(finding: Finding): string {
  switch (finding) {
    case 'does-not-fit':
      return 'Runs out of memory'
    case 'may-not-fit':
      return 'May run out of memory'
    case 'waste':
      return 'Wastes its GPU'
    case 'annual-cost':
      return 'Costs more than it needs to'
    case 'throughput-loss':
      return 'Trains slower than it could'
    case 'loading-does-not-fit':
      return 'Runs out of memory while it loads'
    case 'evaluation-does-not-fit':
      return 'Runs out of memory in evaluation'
    case 'saving-does-not-fit':
      return 'Runs out of memory while it saves'
    case 'resuming-does-not-fit':
      return 'Runs out of memory as it resumes'
    case 'unread-settings':
      return 'Sets what was not understood'
    case 'not-analysed':
      return 'Could not be analysed'
    case 'fine':
      return 'Fits and is within policy'
  }
}
