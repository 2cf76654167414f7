/** One analysis as it stands: waiting, running, done, failed or cancelled. */
import { html } from 'hono/html'
import { plainText } from '../../engine/render/plain.ts'
import type { AnalysedConfig } from '../../engine/report/schema.ts'
import type { Analysis, AnalysisRequest } from '../analysis.ts'
import { ANALYSES_PATH } from './analyse-form.ts'
import { AGAIN_FIELD } from './form.ts'
import { linesOf, logList } from './log.ts'
import { problemNotice } from './notice.ts'
import type { Html } from './page.ts'
import { type ResultOptions, result, resultTitle } from './result/result.ts'

export type Unfinished = Extract<Analysis, { state: 'queued' | 'running' }>
export type Ended = Extract<Analysis, { state: 'failed' | 'cancelled' }>

export function analysisPath(id: string): string {
  return `${ANALYSES_PATH}/${encodeURIComponent(id)}`
}

export function subjectText({ model, config }: AnalysisRequest): string {
  return config === undefined ? plainText(model ?? '', 200) : 'the pasted config'
}

/** The script listens at `data-events` and loads the result when it is ready. */
export function runningView(analysis: Unfinished): Html {
  const path = analysisPath(analysis.id)
  return html`<section class="card" data-events="${path}/events" aria-labelledby="title">
<h1 id="title" tabindex="-1">Analysing ${subjectText(analysis.request)}</h1>
<p class="working" role="status" data-status>${analysis.state === 'queued' ? 'Waiting in the queue: one sweep runs at a time.' : 'Trying batch sizes. Each line is a finished trial.'}</p>
${logList(linesOf(analysis))}
<noscript><p class="sub">This page reloads itself every few seconds.</p></noscript>
<div class="actions">
<form method="post" action="${path}/cancel" data-while-running><button class="secondary">Cancel</button></form>
${again(analysis.request, 'Start again')}
</div>
</section>`
}

export function endedView(analysis: Ended): Html {
  return html`${analysis.state === 'failed' ? problemNotice('The analysis failed', analysis.problems) : ''}
<section class="card" aria-labelledby="title">
<h1 id="title" tabindex="-1">${analysis.state === 'failed' ? 'No result' : 'Cancelled'}: ${subjectText(analysis.request)}</h1>
<p class="sub">${analysis.trials.length === 0 ? 'No size was tried.' : 'Sizes tried before it ended:'}</p>
${analysis.trials.length === 0 ? '' : logList(linesOf(analysis))}
<div class="actions">${again(analysis.request, 'Try again')}${otherLink}</div>
</section>`
}

export function doneView(analysis: Analysis, config: AnalysedConfig, options: ResultOptions): Html {
  return html`<div class="title"><h1 tabindex="-1">${resultTitle(config)}</h1>
<div class="actions">${otherLink}<button type="button" class="secondary" data-copy-address hidden>Copy link</button></div></div>
${result(config, options)}
<div class="actions">${again(analysis.request, 'Run it again')}${otherLink}</div>`
}

/** Finished analyses are kept for a while only, and none survives a restart of the server. */
export function expiredView(): Html {
  return html`<section class="card">
<h1 tabindex="-1">This analysis is no longer available</h1>
<p>Results are kept for a while, until the server restarts at the latest. Run it again: the same request gives the same result on the same machine.</p>
<div class="actions">${otherLink}</div>
</section>`
}

const otherLink = html`<a class="button secondary" href="/">Analyse another</a>`

/** A link that fills in the form with the same request. */
function again(request: AnalysisRequest, words: string): Html {
  return html`<form method="post" action="${ANALYSES_PATH}"><input type="hidden" name="${AGAIN_FIELD}" value="${JSON.stringify(request)}"><button class="secondary">${words}</button></form>`
}
