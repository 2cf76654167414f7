/** /v1/analyses: submit one, look at it, follow it, cancel it. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import * as z from 'zod'
import type { Problem } from '../engine/base/errors.ts'
import { analysis, analysisEvent, analysisRequest } from './analysis.ts'
import { eventStream } from './event-stream.ts'
import { fault, faultOf } from './fault.ts'
import { jsonAnswer } from './json-answer.ts'
import type { Analyses } from './pages.ts'

const id = z.object({ id: z.string().max(100) })
const lookedFor = { params: id }
const unknown = jsonAnswer('No such analysis, or it is no longer kept', fault)

const submit = createRoute({
  method: 'post',
  path: '/v1/analyses',
  summary: 'Start an analysis',
  request: { body: { required: true, content: { 'application/json': { schema: analysisRequest } } } },
  responses: {
    202: {
      ...jsonAnswer('Accepted', analysis),
      headers: z.object({ location: z.string().meta({ description: 'The address of the analysis' }) }),
    },
    400: jsonAnswer('The request is invalid, or asks for something that this server does not offer', fault),
    429: {
      ...jsonAnswer('The queue is full', fault),
      headers: z.object({ 'retry-after': z.string().meta({ description: 'Seconds' }) }),
    },
  },
})

const look = createRoute({
  method: 'get',
  path: '/v1/analyses/{id}',
  summary: 'An analysis in its current state',
  request: lookedFor,
  responses: { 200: jsonAnswer('The analysis', analysis), 404: unknown },
})

const follow = createRoute({
  method: 'get',
  path: '/v1/analyses/{id}/events',
  summary: 'Its events as they happen, as server-sent events',
  description:
    'Each has its number as id, its kind as name, and an AnalysisEvent as data. With Last-Event-ID, only the events after it. The stream ends after done, failed or cancelled.',
  request: {
    ...lookedFor,
    headers: z.object({ 'last-event-id': z.coerce.number().int().min(0).max(1e9).optional() }),
  },
  responses: {
    200: { description: 'The events', content: { 'text/event-stream': { schema: analysisEvent } } },
    204: { description: 'It has ended, and the client has seen every event, so an EventSource stops reconnecting' },
    404: unknown,
  },
})

const cancel = createRoute({
  method: 'delete',
  path: '/v1/analyses/{id}',
  summary: 'Cancel it',
  description: 'Takes it out of the queue, or ends its running trial. Does nothing if it has already ended.',
  request: lookedFor,
  responses: { 202: jsonAnswer('The analysis; a running trial takes a moment to end', analysis), 404: unknown },
})

export interface AnalysisRoutesOptions {
  readonly analyses: Analyses
  readonly keepAliveMillis?: number
}

export function addAnalysisRoutes(app: OpenAPIHono, { analyses, keepAliveMillis }: AnalysisRoutesOptions): void {
  app.openapi(submit, context => {
    const submission = analyses.submit(context.req.valid('json'))
    switch (submission.kind) {
      case 'accepted':
        context.header('location', `/v1/analyses/${submission.analysis.id}`)
        return context.json(submission.analysis, 202)
      case 'refused':
        return context.json(faultOf(submission.problem), 400)
      case 'queue-full':
        context.header('retry-after', String(submission.retryAfterSeconds))
        return context.json(faultOf(queueFull), 429)
    }
  })
  app.openapi(look, context => {
    const found = analyses.find(context.req.valid('param').id)
    return found === undefined ? context.json(faultOf(notFound), 404) : context.json(found, 200)
  })
  app.openapi(follow, context => {
    const { id } = context.req.valid('param')
    const after = context.req.valid('header')['last-event-id'] ?? 0
    const events = analyses.events(id, after, context.req.raw.signal)
    if (events === undefined) return context.json(faultOf(notFound), 404)
    if (events === 'all-seen') return context.body(null, 204)
    context.header('content-type', 'text/event-stream; charset=utf-8')
    context.header('cache-control', 'no-store')
    // nginx buffers what it proxies by default.
    context.header('x-accel-buffering', 'no')
    return context.body(eventStream(events, keepAliveMillis), 200)
  })
  app.openapi(cancel, context => {
    const found = analyses.cancel(context.req.valid('param').id)
    return found === undefined ? context.json(faultOf(notFound), 404) : context.json(found, 202)
  })
}

export const queueFull: Problem = {
  code: 'queue-full',
  message: 'the queue is full',
  fix: 'Try again after the number of seconds in Retry-After.',
}

const notFound: Problem = {
  code: 'unknown-analysis',
  message: 'there is no such analysis, or it is no longer kept',
  fix: 'Submit it again with POST /v1/analyses.',
}
