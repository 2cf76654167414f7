/** `GET /health`: the process is up. `GET /ready`: it can take webhooks. `GET /metrics`: for Prometheus. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Metrics } from './metrics.ts'
import type { Database } from './store/database.ts'

export interface Watched {
  readonly database: Database
  readonly metrics: Metrics
  readonly isStopping: () => boolean
}

/** True when the request was for one of these routes. */
export async function answerWatch(
  request: IncomingMessage,
  response: ServerResponse,
  watched: Watched,
): Promise<boolean> {
  if (request.method !== 'GET') return false
  switch (request.url) {
    case '/health':
      answerJson(response, 200, { status: 'ok' })
      return true
    case '/ready':
      await answerReady(response, watched)
      return true
    case '/metrics':
      response.writeHead(200, { 'content-type': watched.metrics.contentType }).end(await watched.metrics.text())
      return true
    default:
      return false
  }
}

async function answerReady(response: ServerResponse, { database, isStopping }: Watched): Promise<void> {
  if (isStopping()) return answerJson(response, 503, { status: 'stopping' })
  const answers = await database.query('SELECT 1').then(
    () => true,
    () => false,
  )
  answerJson(response, answers ? 200 : 503, { status: answers ? 'ready' : 'without database' })
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
