/** `/analyses/:id`: an analysis while it waits and runs, its events, and its result. */
import type { Context, Hono } from 'hono'
import * as z from 'zod'
import type { AnalysedConfig } from '../../engine/report/schema.ts'
import { type Analysis, type AnalysisEvent, isFinal } from '../analysis.ts'
import { eventStream, KEEP_ALIVE_MILLIS, serverSentEvent } from '../event-stream.ts'
import { ANALYSES_PATH } from './analyse-form.ts'
import { analysisPath, doneView, endedView, expiredView, runningView, subjectText } from './analysis-view.ts'
import { eventLine } from './log.ts'
import { page } from './page.ts'
import { resultTitle } from './result/result.ts'
import { resultOptions } from './result/result-options.ts'
import type { Site } from './site.ts'

/** For readers without JavaScript. */
const REFRESH_SECONDS = 3

export function addAnalysisPage(app: Hono, site: Site): void {
  const { analyses } = site.context
  const one = `${ANALYSES_PATH}/:id` as const

  app.get(one, async c => {
    c.header('Cache-Control', 'no-store')
    const analysis = analyses.find(c.req.param('id'))
    return analysis === undefined ? expired(c, site) : show(c, analysis, site)
  })

  app.get(`${one}/events`, c => {
    const after = z.coerce.number().int().min(0).catch(0).parse(c.req.header('last-event-id'))
    const events = analyses.events(c.req.param('id'), after, c.req.raw.signal)
    if (events === undefined) return c.notFound()
    // This answer makes an EventSource stop reconnecting.
    if (events === 'all-seen') return c.body(null, 204)
    const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' }
    return c.body(eventStream(events, KEEP_ALIVE_MILLIS, asLine), 200, headers)
  })

  app.post(`${one}/cancel`, c => {
    const analysis = analyses.cancel(c.req.param('id'))
    return analysis === undefined ? expired(c, site) : c.redirect(analysisPath(analysis.id), 303)
  })
}

/** Log entries for the page's script, and the final `end`, after which it fetches the result. */
function asLine(event: AnalysisEvent): Uint8Array {
  return serverSentEvent(event, isFinal(event) ? 'end' : 'line', eventLine(event))
}

function expired(c: Context, { assets }: Site) {
  c.header('Cache-Control', 'no-store')
  return c.html(page(assets, { title: 'No longer available', section: 'analyse' }, expiredView()), 404)
}

async function show(c: Context, analysis: Analysis, { assets }: Site) {
  const subject = subjectText(analysis.request)
  switch (analysis.state) {
    case 'queued':
    case 'running': {
      const options = { title: `Analysing ${subject}`, section: 'analyse', refreshSeconds: REFRESH_SECONDS } as const
      return c.html(page(assets, options, runningView(analysis)))
    }
    case 'failed':
    case 'cancelled': {
      const title = analysis.state === 'failed' ? `No result: ${subject}` : `Cancelled: ${subject}`
      return c.html(page(assets, { title, section: 'analyse' }, endedView(analysis)))
    }
    case 'done': {
      const config = analysedConfig(analysis)
      const options = await resultOptions(config, analysis.request, c.req.query())
      const title = `Result: ${resultTitle(config)}`
      return c.html(page(assets, { title, section: 'analyse' }, doneView(analysis, config, options)))
    }
  }
}

/** An analysis that is done has one config, and it is analysed. */
function analysedConfig({ report }: Extract<Analysis, { state: 'done' }>): AnalysedConfig {
  const [config] = report.configs
  if (config?.status !== 'analysed') throw new Error('a done analysis without an analysed config')
  return config
}
