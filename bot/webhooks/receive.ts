/** The webhook route: verifies, claims, enqueues, responds. It sends no request to GitHub before it responds. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'probot'
import { parseJson } from '../../engine/base/json.ts'
import { MIB } from '../../engine/base/units.ts'
import { failureOf } from '../queue/failure.ts'
import { keyOf } from '../queue/jobs.ts'
import { within } from '../within.ts'
import type { Answer } from './answer.ts'
import { Bodies, type BodyReading } from './bodies.ts'
import { readEvent } from './events.ts'
import type { Inbox } from './inbox.ts'

export const WEBHOOK_PATH = '/api/github/webhooks'

/** Far above our events. GitHub's own limit of 25 MB would let anybody send as much. */
const MAX_BODY_BYTES = 2 * MIB

/** For all unverified bodies together. Each takes about three times its size until it is parsed. */
const MAX_TOTAL_BYTES = 16 * MIB

/** When to retry if there is no memory: a body occupies it at most as long as a request may take. */
const RETRY_SECONDS = 10

export function openBodies(): Bodies {
  return new Bodies({ maxBytes: MAX_BODY_BYTES, maxTotalBytes: MAX_TOTAL_BYTES })
}

/** GitHub gives up after ten seconds. A delivery accepted later still counts, and its redelivery has no effect. */
const TAKE_MILLIS = 8_000

export interface ReceiveOptions {
  readonly inbox: Inbox
  readonly bodies: Bodies
  readonly log: Logger
  readonly verify: (body: string, signature: string) => Promise<boolean>
  readonly onAnswered: (answer: Answer, event: string) => void
}

interface Reply {
  readonly status: number
  readonly answer: Answer
  readonly message: string
  /** Seconds after which the request may be retried. */
  readonly retrySeconds?: number
}

/** True if the request was for this route. */
export async function receiveWebhook(
  request: IncomingMessage,
  response: ServerResponse,
  options: ReceiveOptions,
): Promise<boolean> {
  if (request.method !== 'POST' || request.url !== WEBHOOK_PATH) return false
  const reply = await replyTo(request, options)
  options.onAnswered(reply.answer, header(request, 'x-github-event'))
  if (reply.retrySeconds !== undefined) response.setHeader('retry-after', reply.retrySeconds)
  // Closes the connection, so that the rest of a rejected body is not received.
  if (!request.complete) response.setHeader('connection', 'close')
  response.writeHead(reply.status, { 'content-type': 'text/plain' }).end(`${reply.message}\n`)
  return true
}

async function replyTo(request: IncomingMessage, options: ReceiveOptions): Promise<Reply> {
  const delivery = header(request, 'x-github-delivery')
  const event = header(request, 'x-github-event')
  const signature = header(request, 'x-hub-signature-256')
  if (delivery === '' || event === '')
    return refused(400, 'The headers X-GitHub-Delivery and X-GitHub-Event are missing.')
  if (header(request, 'content-length') === '0') return refused(400, 'The body is empty.')
  if (signature === '') return refusedUnsigned({ delivery, event }, options)
  const opened = await options.bodies.read(request, body => open({ delivery, event, signature }, body, options))
  return opened.kind === 'refused' ? opened.reply : take({ delivery, event }, opened.payload, options)
}

interface Headers {
  readonly delivery: string
  readonly event: string
}

type Opened =
  | { readonly kind: 'payload'; readonly payload: unknown }
  | { readonly kind: 'refused'; readonly reply: Reply }

/** The verified event, or why it is rejected. */
async function open(
  { delivery, event, signature }: Headers & { readonly signature: string },
  body: BodyReading,
  options: ReceiveOptions,
): Promise<Opened> {
  const refuse = (reply: Reply): Opened => ({ kind: 'refused', reply })
  switch (body.kind) {
    case 'too-large':
      return refuse(refused(413, 'The body is larger than 2 MiB.'))
    case 'no-room':
      return refuse(noRoom)
    case 'text':
      break
  }
  if (body.text === '') return refuse(refused(400, 'The body is empty.'))
  if (!(await options.verify(body.text, signature))) return refuse(refusedUnsigned({ delivery, event }, options))
  const payload = parseJson(body.text)
  if (payload !== undefined) return { kind: 'payload', payload }
  options.log.error(
    { delivery, event },
    'A webhook is not JSON; set the content type of the App’s webhook to application/json',
  )
  return refuse(refused(400, 'The body is not JSON. Set the content type of the webhook to application/json.'))
}

function refusedUnsigned({ delivery, event }: Headers, { log }: ReceiveOptions): Reply {
  log.warn(
    { delivery: delivery.slice(0, 100), event: event.slice(0, 100) },
    'A webhook was refused: its signature does not match',
  )
  return refused(401, 'The signature does not match.')
}

async function take({ delivery, event }: Headers, payload: unknown, { inbox, log }: ReceiveOptions): Promise<Reply> {
  const reading = readEvent(event, payload)
  switch (reading.kind) {
    case 'not-ours':
      return { status: 202, answer: 'not-ours', message: 'Nothing to do.' }
    case 'unreadable':
      log.error({ delivery, event, why: reading.why }, 'A webhook could not be read')
      return refused(422, 'The payload is not as GitHub documents it.')
    case 'work':
      break
  }
  try {
    const taking = await within(TAKE_MILLIS, inbox.take({ id: delivery, name: reading.name, work: reading.work }))
    if (taking === 'too-late') {
      log.error({ delivery, event }, 'A webhook could not be taken in time: the database does not answer')
      return unavailable
    }
    log.info({ delivery, event, taking, jobs: reading.work.jobs.map(keyOf) }, 'A webhook was taken')
    return { status: 202, answer: taking === 'taken' ? 'accepted' : 'repeated', message: 'Accepted.' }
  } catch (error) {
    log.error({ err: error, delivery, event }, 'A webhook could not be taken')
    return failureOf(error, new Date()).kind === 'passing' ? unavailable : notStored
  }
}

const unavailable: Reply = { status: 503, answer: 'unavailable', message: 'The database does not answer.' }

const noRoom: Reply = {
  status: 503,
  answer: 'unavailable',
  message: 'Too much is being sent at once.',
  retrySeconds: RETRY_SECONDS,
}

const notStored: Reply = {
  status: 500,
  answer: 'unavailable',
  message: "It could not be stored; the bot's log says why.",
}

function refused(status: number, message: string): Reply {
  return { status, answer: 'refused', message }
}

function header({ headers }: IncomingMessage, name: string): string {
  return headers[name]?.toString() ?? ''
}
