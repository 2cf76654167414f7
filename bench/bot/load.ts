/**
 * Sends signed webhooks at a rate. Each is timed from when it was due, so that a slow answer does not hide delays
 * behind it.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { createRequire } from 'node:module'
import * as z from 'zod'

export interface Target {
  readonly url: string
  readonly secret: string
}

export interface Load {
  readonly deliveries: number
  /** Undefined to send as fast as they are answered. */
  readonly perSecond: number | undefined
  /** Number of pull requests, used in turn. */
  readonly pulls: number
  readonly installations: number
}

export interface Answers {
  /** Milliseconds from due to answered, ascending. */
  readonly millis: readonly number[]
  /** Answers other than 202. */
  readonly refused: number
  readonly seconds: number
}

const MAX_AT_ONCE = 64

const examples = z
  .array(z.object({ name: z.string(), examples: z.array(z.looseObject({ action: z.string().optional() })) }))
  .parse(createRequire(import.meta.url)('@octokit/webhooks-examples/api.github.com/index.json'))
const example = examples.find(({ name }) => name === 'pull_request')?.examples.find(({ action }) => action === 'opened')

export async function send(target: Target, load: Load): Promise<Answers> {
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_AT_ONCE })
  const begin = performance.now()
  const millis: number[] = []
  let refused = 0
  let next = 0
  const one = async (index: number) => {
    const dueAt = load.perSecond === undefined ? performance.now() : begin + (index * 1_000) / load.perSecond
    const wait = dueAt - performance.now()
    if (wait > 0) await new Promise(resolve => setTimeout(resolve, wait))
    const status = await deliver(target, agent, payload(index, load))
    millis.push(performance.now() - dueAt)
    if (status !== 202) refused += 1
  }
  const sender = async () => {
    while (next < load.deliveries) await one(next++)
  }
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, sender))
  agent.destroy()
  return { millis: millis.toSorted((a, b) => a - b), refused, seconds: (performance.now() - begin) / 1_000 }
}

/** Sized like GitHub's payloads. */
function payload(index: number, { pulls, installations }: Load): string {
  const number = 1 + (index % pulls)
  const installation = 1 + (number % installations)
  const repository = { id: installation, name: 'models', full_name: 'acme/models', owner: { login: 'acme' } }
  return JSON.stringify({ ...example, action: 'synchronize', number, repository, installation: { id: installation } })
}

function deliver({ url, secret }: Target, agent: Agent, body: string): Promise<number> {
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-github-delivery': randomUUID(),
    'x-github-event': 'pull_request',
    'x-hub-signature-256': `sha256=${signature}`,
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, response => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
