/** The webhook route: verify, claim, enqueue, answer. GitHub's API is not asked before the answer. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'probot'
import { parseJson } from '../../engine/json.ts'
import { failureOf } from '../queue/failure.ts'
import { keyOf } from '../queue/jobs.ts'
import { within } from '../within.ts'
import { readEvent } from './events.ts'
import type { Inbox } from './inbox.ts'

export const WEBHOOK_PATH = '/api/github/webhooks'

/** Far above what our events weigh; GitHub's own limit is 25 MB, which strangers could send too. */
const MAX_BODY_BYTES = 2 * 2 ** 20

/** GitHub gives up after ten seconds. What is taken later than that is taken all the same, and a redelivery changes nothing. */
const TAKE_MILLIS = 8_000

export interface ReceiveOptions {
  readonly inbox: Inbox
  readonly log: Logger
  readonly verify: (body: string, signature: string) => Promise<boolean>
  readonly onAnswered: (answer: Answer, event: string) => void
}

export type Answer = 'accepted' | 'repeated' | 'not-ours' | 'refused' | 'unavailable'

interface Reply {
  readonly status: number
  readonly answer: Answer
  readonly message: string
}

/** True when the request was for this route. */
export async function receiveWebhook(
  request: IncomingMessage,
  response: ServerResponse,
  options: ReceiveOptions,
): Promise<boolean> {
  if (request.method !== 'POST' || request.url !== WEBHOOK_PATH) return false
  const reply = await replyTo(request, options)
  options.onAnswered(reply.answer, header(request, 'x-github-event'))
  response.writeHead(reply.status, { 'content-type': 'text/plain' }).end(`${reply.message}\n`)
  return true
}

async function replyTo(request: IncomingMessage, options: ReceiveOptions): Promise<Reply> {
  const { inbox, log, verify } = options
  const delivery = header(request, 'x-github-delivery')
  const event = header(request, 'x-github-event')
  const body = await readCapped(request)
  if (body === undefined) return refused(413, 'The body is larger than 2 MiB.')
  if (body === '') return refused(400, 'The body is empty.')
  if (delivery === '' || event === '')
    return refused(400, 'The headers X-GitHub-Delivery and X-GitHub-Event are missing.')
  const signature = header(request, 'x-hub-signature-256')
  if (signature === '' || !(await verify(body, signature))) {
    log.warn(
      { delivery: delivery.slice(0, 100), event: event.slice(0, 100) },
      'A webhook was refused: its signature does not match',
    )
    return refused(401, 'The signature does not match.')
  }
  const payload = parseJson(body)
  if (payload === undefined) {
    log.error(
      { delivery, event },
      'A webhook is not JSON; set the content type of the App’s webhook to application/json',
    )
    return refused(400, 'The body is not JSON. Set the content type of the webhook to application/json.')
  }
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

const notStored: Reply = {
  status: 500,
  answer: 'unavailable',
  message: "It could not be stored; the bot's log says why.",
}

function refused(status: number, message: string): Reply {
  return { status, answer: 'refused', message }
}

/** Undefined above the cap; then the rest is not read. */
async function readCapped(request: IncomingMessage): Promise<string | undefined> {
  if (Number(header(request, 'content-length')) > MAX_BODY_BYTES) return undefined
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function header({ headers }: IncomingMessage, name: string): string {
  return headers[name]?.toString() ?? ''
}
