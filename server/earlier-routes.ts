/** The earlier tool's routes: GET /health, GET /models and POST /analyze. `GET /` is in app.ts. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import * as z from 'zod'
import type { Problem } from '../engine/base/errors.ts'
import type { Machine } from '../engine/probes/device.ts'
import type { Analysis } from './analysis.ts'
import { queueFull } from './analysis-routes.ts'
import { analysisRequestOf, earlierRequest } from './earlier-request.ts'
import { type EarlierResult, earlierResult, earlierResultOf } from './earlier-result.ts'
import { fault, faultOf } from './fault.ts'
import { health, healthOf } from './health.ts'
import { jsonAnswer } from './json-answer.ts'
import type { KnownMachine } from './machine.ts'
import { listModels, modelList } from './model-list.ts'
import type { Analyses } from './pages.ts'

/** The earlier tool's clients gave up after 90 s. */
const ANALYZE_TIMEOUT_MILLIS = 85_000

const healthRoute = createRoute({
  method: 'get',
  path: '/health',
  summary: 'Whether the server is up, and what this machine has',
  security: [],
  responses: { 200: jsonAnswer('It is up', health) },
})

const modelsRoute = createRoute({
  method: 'get',
  path: '/models',
  summary: 'The models in the catalogue; any other is looked up on the Hugging Face Hub',
  responses: { 200: jsonAnswer('The models', modelList) },
})

const analyzeRoute = createRoute({
  method: 'post',
  path: '/analyze',
  summary: 'Analyse a model and wait for the result',
  request: { body: { required: true, content: { 'application/json': { schema: earlierRequest } } } },
  responses: {
    200: jsonAnswer('The result', z.object({ status: z.literal('success'), data: earlierResult })),
    400: jsonAnswer('A missing or unknown model, or settings that do not apply to it', fault),
    429: jsonAnswer('The queue is full', fault),
    500: jsonAnswer('A trial failed', fault),
    503: jsonAnswer('This machine lacks what the engine needs, or the Hub did not answer', fault),
    504: jsonAnswer('It takes longer than clients wait. It goes on, and the error says where', fault),
  },
})

export interface EarlierRoutesOptions {
  readonly analyses: Analyses
  readonly machine: KnownMachine
  readonly now: () => Date
  readonly analyzeTimeoutMillis?: number
}

export function addEarlierRoutes(app: OpenAPIHono, options: EarlierRoutesOptions): void {
  const { analyses, machine, now, analyzeTimeoutMillis = ANALYZE_TIMEOUT_MILLIS } = options
  app.openapi(healthRoute, context => context.json(healthOf(machine.ifKnown, now()), 200))
  app.openapi(modelsRoute, context => context.json(listModels(), 200))
  app.openapi(analyzeRoute, async context => {
    const body = context.req.valid('json')
    const submission = analyses.submit(analysisRequestOf(body))
    if (submission.kind === 'refused') return context.json(faultOf(submission.problem), 400)
    if (submission.kind === 'queue-full') {
      context.header('retry-after', String(submission.retryAfterSeconds))
      return context.json(faultOf(queueFull), 429)
    }
    const { id } = submission.analysis
    const analysis = await finished(analyses, id, context.req.raw.signal, analyzeTimeoutMillis)
    switch (analysis?.state) {
      case 'done':
        return context.json(
          { status: 'success' as const, data: dataOf(analysis, body.model_name, machine.ifKnown) },
          200,
        )
      case 'failed':
        return context.json(faultOf(...analysis.problems), statusOf(analysis.problems))
      case 'queued':
      case 'running':
        return context.json(faultOf(stillRuns(id)), 504)
      case 'cancelled':
      case undefined:
        return context.json(faultOf(cancelled), 500)
    }
  })
}

/** The analysis when it has ended, or its state after the time limit. A client that disconnects cancels it. */
async function finished(
  analyses: Analyses,
  id: string,
  client: AbortSignal,
  timeoutMillis: number,
): Promise<Analysis | undefined> {
  const events = analyses.events(id, 0, AbortSignal.any([client, AbortSignal.timeout(timeoutMillis)]))
  if (events !== undefined && events !== 'all-seen') {
    const iterator = events[Symbol.asyncIterator]()
    while (!(await iterator.next()).done);
  }
  return client.aborted ? analyses.cancel(id) : analyses.find(id)
}

function dataOf(
  { report, probing }: Extract<Analysis, { state: 'done' }>,
  modelName: string,
  machine: Machine | undefined,
): EarlierResult {
  const [config] = report.configs
  if (config?.status !== 'analysed' || probing === undefined) throw new Error('a finished analysis without its config')
  const { engine } = probing
  const measuredOn = engine === 'torch' && machine?.kind === 'python' ? machine.device.kind : undefined
  // Figures that were not measured are for the catalogue's GPU.
  return earlierResultOf({ modelName, device: measuredOn ?? 'cuda', engine, config })
}

/** Problems other than the request's own. */
const serverFaults: Readonly<Record<string, 500 | 503>> = {
  'engine-unavailable': 503,
  'hub-unreachable': 503,
  'step-failed': 500,
  'worker-died': 500,
  'trial-timed-out': 500,
  'analysis-timed-out': 500,
  'analysis-crashed': 500,
}

function statusOf(problems: readonly Problem[]): 400 | 500 | 503 {
  const [status] = problems.flatMap(({ code }) => serverFaults[code] ?? [])
  return status ?? 400
}

const cancelled: Problem = {
  code: 'analysis-cancelled',
  message: 'the analysis was cancelled',
  fix: 'Ask again.',
}

function stillRuns(id: string): Problem {
  return {
    code: 'still-running',
    message: 'the analysis takes longer than clients wait',
    fix: `It is still running: see /v1/analyses/${id}.`,
  }
}
