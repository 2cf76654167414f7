/** A service to ask without a socket: the real queue, processes and engine. */
import { createParser } from 'eventsource-parser'
import { defaultGpu } from '../../engine/gpus/catalogue.ts'
import { type Analysis, type AnalysisEvent, analysis, analysisEvent } from '../../server/analysis.ts'
import { KnownMachine } from '../../server/machine.ts'
import { Service, type ServiceOptions } from '../../server/service.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

export class Asking implements AsyncDisposable {
  readonly service: Service
  /** What the service wrote into its log. */
  readonly logged: string[] = []

  constructor(options: Partial<ServiceOptions> = {}) {
    this.service = new Service({
      gpu: defaultGpu,
      engine: 'auto',
      python: 'python3',
      machine: KnownMachine.of({ kind: 'no-python', why: 'for this test' }),
      access: { kind: 'this-machine', hostNames: ['localhost'] },
      log: text => this.logged.push(text),
      ...options,
    })
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { host: 'localhost', ...Object.fromEntries(new Headers(init.headers)) }
    return Promise.resolve(this.service.app.request(path, { ...init, headers }))
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return answerOf(await this.fetch(path, { headers }))
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const type = { 'content-type': 'application/json' }
    return answerOf(
      await this.fetch(path, { method: 'POST', headers: { ...type, ...headers }, body: JSON.stringify(body) }),
    )
  }

  async submit(request: object): Promise<Analysis> {
    return analysis.parse((await this.post('/v1/analyses', request)).body)
  }

  async find(id: string): Promise<Analysis> {
    return analysis.parse((await this.get(`/v1/analyses/${id}`)).body)
  }

  async cancel(id: string): Promise<Answer> {
    return answerOf(await this.fetch(`/v1/analyses/${id}`, { method: 'DELETE' }))
  }

  /** All events to the end of the analysis. */
  async events(id: string, headers: Record<string, string> = {}): Promise<AnalysisEvent[]> {
    return eventsIn(await (await this.fetch(`/v1/analyses/${id}/events`, { headers })).text())
  }

  /** The analysis when it has ended. */
  async ended(id: string): Promise<Analysis> {
    await this.events(id)
    return this.find(id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]()
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}

/** Checks that each event's id and name are those of its data. */
export function eventsIn(text: string): AnalysisEvent[] {
  const events: AnalysisEvent[] = []
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      const parsed = analysisEvent.parse(JSON.parse(data))
      if (id !== String(parsed.sequence) || event !== parsed.kind) throw new Error(`${id} ${event}: ${data}`)
      events.push(parsed)
    },
  })
  parser.feed(text)
  return events
}

/** Of what is known to be there. */
export function stateOf<State extends Analysis['state']>(
  found: Analysis,
  state: State,
): Extract<Analysis, { state: State }> {
  if (found.state !== state) throw new Error(`expected ${state}: ${JSON.stringify(found).slice(0, 1_000)}`)
  return found as Extract<Analysis, { state: State }>
}
