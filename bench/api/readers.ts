/** Many readers of one running analysis; each must receive every event in order. */
import { createHash, type Hash } from 'node:crypto'
import { Agent, get, type IncomingMessage } from 'node:http'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { analysis } from '../../server/analysis.ts'

interface Following {
  readonly url: string
  readonly count: number
  /** The body of POST /v1/analyses. */
  readonly request: object
}

export interface Followed {
  /** Readers that received every event once, in order, with the same text. */
  readonly complete: number
  /** Of the analysis. */
  readonly events: number
  /** Connections open at the same time before the last event. */
  readonly concurrent: number
  /** Complete readers that were disconnected on the way. */
  readonly resumed: number
  readonly seconds: number
  /** Milliseconds from an event until a reader received it. */
  readonly medianLagMillis: number
  readonly worstLagMillis: number
}

/** One reader in this many is disconnected, each after another event. */
const CUT_EVERY = 10
const CUTS_FROM_EVENT = 100
const CUTS_OVER_EVENTS = 300

const CONNECTED_AT_ONCE = 50

/** What the readers have in common. */
class Audience {
  readonly lagsMillis: number[] = []
  concurrent = 0
  #open = 0
  #hasEnded = false

  opened(): void {
    this.#open++
    if (!this.#hasEnded) this.concurrent = Math.max(this.concurrent, this.#open)
  }

  closed(): void {
    this.#open--
  }

  ended(): void {
    this.#hasEnded = true
  }
}

class Reader {
  readonly #url: string
  readonly #agent: Agent
  readonly #audience: Audience
  readonly #cutAfter: number | undefined
  readonly #texts: Hash = createHash('sha256')
  #last = 0
  #isInOrder = true
  #wasCut = false
  #kind = ''

  constructor(url: string, agent: Agent, audience: Audience, index: number) {
    this.#url = url
    this.#agent = agent
    this.#audience = audience
    this.#cutAfter = index % CUT_EVERY === 1 ? CUTS_FROM_EVENT + (index % CUTS_OVER_EVENTS) : undefined
  }

  /** Reads to the end, reconnecting once if disconnected. */
  async read(): Promise<void> {
    await this.#connection()
    if (this.#wasCut) await this.#connection()
  }

  get result() {
    return {
      events: this.#last,
      isWhole: this.#isInOrder && this.#kind === 'done',
      wasCut: this.#wasCut,
      digest: this.#texts.digest('hex'),
    }
  }

  async #connection(): Promise<void> {
    const headers = this.#last === 0 ? {} : { 'last-event-id': String(this.#last) }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(this.#url, { agent: this.#agent, headers }, resolve).on('error', reject)
    })
    this.#audience.opened()
    const connectedAt = Date.now()
    const parser = createParser({ onEvent: event => this.#took(event, connectedAt, response) })
    response.setEncoding('utf8').on('data', (text: string) => parser.feed(text))
    await new Promise<void>(resolve => response.on('close', resolve).on('error', () => {}))
    this.#audience.closed()
  }

  #took({ id, event = '', data }: EventSourceMessage, connectedAt: number, response: IncomingMessage): void {
    if (response.destroyed) return
    this.#isInOrder &&= id === String(this.#last + 1)
    this.#last++
    this.#kind = event
    this.#texts.update(data)
    if (event === 'done') this.#audience.ended()
    if (event === 'trial') this.#noteLag(data, connectedAt)
    if (this.#last === this.#cutAfter) {
      this.#wasCut = true
      response.destroy()
    }
  }

  /** Only events since the connection: earlier ones were waiting. */
  #noteLag(data: string, connectedAt: number): void {
    const at = Date.parse(/"at":"([^"]+)"\}$/.exec(data)?.[1] ?? '')
    if (at > connectedAt) this.#audience.lagsMillis.push(Date.now() - at)
  }
}

export async function followers({ url, count, request }: Following): Promise<Followed> {
  const agent = new Agent({ keepAlive: true, maxSockets: count, maxFreeSockets: count })
  await connectAll(url, agent, count)
  const startedAt = performance.now()
  const submitted = await fetch(`${url}/v1/analyses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
  const { id } = analysis.parse(await submitted.json())
  const audience = new Audience()
  const readers = Array.from(
    { length: count },
    (_, index) => new Reader(`${url}/v1/analyses/${id}/events`, agent, audience, index),
  )
  await Promise.all(readers.map(reader => reader.read()))
  const seconds = (performance.now() - startedAt) / 1_000
  agent.destroy()

  const results = readers.map(({ result }) => result)
  const [first] = results
  const whole = results.filter(
    ({ isWhole, events, digest }) => isWhole && events === first?.events && digest === first.digest,
  )
  const lags = audience.lagsMillis.toSorted((a, b) => a - b)
  return {
    complete: whole.length,
    events: first?.events ?? 0,
    concurrent: audience.concurrent,
    resumed: whole.filter(({ wasCut }) => wasCut).length,
    seconds,
    medianLagMillis: lags[Math.floor(lags.length / 2)] ?? Number.NaN,
    worstLagMillis: lags.at(-1) ?? Number.NaN,
  }
}

/** Connected in advance, so that all are there while the analysis runs. */
async function connectAll(url: string, agent: Agent, count: number): Promise<void> {
  const held: IncomingMessage[] = []
  for (let connected = 0; connected < count; connected += CONNECTED_AT_ONCE) {
    const some = Array.from(
      { length: Math.min(CONNECTED_AT_ONCE, count - connected) },
      () =>
        new Promise<IncomingMessage>((resolve, reject) => {
          get(`${url}/health`, { agent }, resolve).on('error', reject)
        }),
    )
    held.push(...(await Promise.all(some)))
  }
  for (const response of held) response.resume()
}
