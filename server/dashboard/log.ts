/** An analysis's events as lines, in the page and in the stream that extends it. */
import { html } from 'hono/html'
import { formatGib } from '../../engine/base/units.ts'
import { plainProblem, plainText } from '../../engine/render/plain.ts'
import type { Analysis, AnalysisEvent, Probing } from '../analysis.ts'
import type { Html } from './page.ts'
import { trialLine } from './trial-line.ts'

/** The line that an event adds. */
export function eventLine(event: AnalysisEvent): string {
  switch (event.kind) {
    case 'queued':
      return `waiting, number ${event.position} in the queue`
    case 'started':
      return 'started'
    case 'probing':
      return probingLine(event.probing)
    case 'log':
      return plainText(event.text)
    case 'trial':
      return trialLine(event.trial)
    case 'done':
      return 'done'
    case 'failed':
      return event.problems.map(plainProblem).join(' ')
    case 'cancelled':
      return 'cancelled'
  }
}

/** The lines for an analysis whose events were not followed. */
export function linesOf(analysis: Analysis): string[] {
  if (analysis.state === 'queued') return [`waiting, number ${analysis.position} in the queue`]
  const probing = analysis.probing === undefined ? [] : [probingLine(analysis.probing)]
  return [...probing, ...analysis.trials.map(trialLine)]
}

/** Screen readers announce each line. */
export function logList(lines: readonly string[]): Html {
  const items = lines.map(line => html`<li>${line}</li>`)
  return html`<div class="log" role="log" aria-label="Trials" aria-live="polite" tabindex="0"><ol>${items}</ol></div>`
}

function probingLine({ engine, provenance, device }: Probing): string {
  const by = device.software === '' ? '' : ` (${plainText(device.software, 200)})`
  return `${provenance} by the ${engine} engine for ${plainText(device.name, 60)}${by}: ${formatGib(device.usableBytes)} usable`
}
