/** Classifies the error that ended a job. */
import { ProcessNotStarted } from '../../engine/index.ts'
import { headersOf, numberIn, statusOf } from '../installation.ts'

export type Failure =
  /** GitHub's rate limit; the job is retried when it allows. */
  | { readonly kind: 'limited'; readonly afterSeconds: number }
  /** A temporary fault of GitHub, the network or the database; retrying helps. */
  | { readonly kind: 'passing' }
  /** The repository, pull request or installation no longer exists. */
  | { readonly kind: 'gone' }
  /** The installation lacks a permission. */
  | { readonly kind: 'forbidden' }
  /** A bug of ours, which retrying does not fix. */
  | { readonly kind: 'fault' }

/** Used if GitHub does not say how long to wait; its documentation asks for at least a minute. */
const UNSAID_WAIT_SECONDS = 60
const MAX_WAIT_SECONDS = 3_600

export function failureOf(error: unknown, now: Date): Failure {
  // The machine has no process or no memory left, which passes.
  if (error instanceof ProcessNotStarted || isPassingFault(error)) return { kind: 'passing' }
  const status = statusOf(error)
  if (status === undefined) return { kind: isRequest(error) ? 'passing' : 'fault' }
  if (status === 403 || status === 429) return limitOf(error, status, now)
  if (status === 401) return { kind: 'passing' }
  if (status === 404 || status === 410 || status === 451) return { kind: 'gone' }
  return { kind: status >= 500 ? 'passing' : 'fault' }
}

function limitOf(error: unknown, status: number, now: Date): Failure {
  const headers = headersOf(error)
  const retryAfter = numberIn(headers, 'retry-after')
  if (retryAfter !== undefined) return limited(retryAfter)
  const reset = numberIn(headers, 'x-ratelimit-reset')
  if (headers['x-ratelimit-remaining'] === '0' && reset !== undefined) return limited(reset - now.getTime() / 1_000)
  const saysLimit = error instanceof Error && /rate limit/i.test(error.message)
  return status === 429 || saysLimit ? limited(UNSAID_WAIT_SECONDS) : { kind: 'forbidden' }
}

function limited(seconds: number): Failure {
  return { kind: 'limited', afterSeconds: Math.min(Math.max(Math.ceil(seconds), 1), MAX_WAIT_SECONDS) }
}

/** Octokit's errors have a status even where no answer came. */
function isRequest(error: unknown): boolean {
  return error instanceof Error && 'request' in error
}

/**
 * Temporary errors: PostgreSQL's classes for connection, resources, operator intervention and system, and Node's codes
 * for broken sockets.
 */
const passingCodes =
  /^(?:08|53|57|58)\w{3}$|^(?:ECONN\w+|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|UND_ERR_\w+)$|^40(?:001|P01)$/

function isPassingFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return true
  if ('code' in error && typeof error.code === 'string' && passingCodes.test(error.code)) return true
  // Messages of pg for a connection that broke in use and for a server that does not answer.
  if (
    /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
      error.message,
    )
  )
    return true
  return error.cause !== undefined && isPassingFault(error.cause)
}
