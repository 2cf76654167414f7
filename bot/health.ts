/** `GET /health`: the process is up. `GET /ready`: it can take webhooks. `GET /metrics`: for Prometheus. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Metrics } from './metrics.ts'
import type { Database } from './store/database.ts'
import { within } from './within.ts'

export interface Watched {
  readonly database: Database
  readonly metrics: Metrics
  readonly isStopping: () => boolean
}

/** Load balancers and Prometheus wait no longer than some ten seconds for an answer. */
const ANSWER_MILLIS = 2_000

export class Health {
  readonly #watched: Watched
  /** The one database query under way: if the database hangs, more of them would use up the connections. */
  #asking: Promise<boolean> | undefined

  constructor(watched: Watched) {
    this.#watched = watched
  }

  /** True when the request was for one of these routes. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    if (request.method !== 'GET') return false
    switch (request.url) {
      case '/health':
        answerJson(response, 200, { status: 'ok' })
        return true
      case '/ready':
        await this.#answerReady(response)
        return true
      case '/metrics':
        await this.#answerMetrics(response)
        return true
      default:
        return false
    }
  }

  async #answerReady(response: ServerResponse): Promise<void> {
    if (this.#watched.isStopping()) return answerJson(response, 503, { status: 'stopping' })
    const answers = await within(ANSWER_MILLIS, this.#databaseAnswers())
    answerJson(response, answers === true ? 200 : 503, { status: answers === true ? 'ready' : 'without database' })
  }

  async #answerMetrics(response: ServerResponse): Promise<void> {
    const { metrics } = this.#watched
    const text = await within(
      ANSWER_MILLIS,
      metrics.text().catch(() => undefined),
    )
    if (text === undefined || text === 'too-late') return answerJson(response, 503, { status: 'without database' })
    response.writeHead(200, { 'content-type': metrics.contentType }).end(text)
  }

  #databaseAnswers(): Promise<boolean> {
    this.#asking ??= this.#watched.database
      .query('SELECT 1')
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#asking = undefined
      })
    return this.#asking
  }
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
