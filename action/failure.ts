/** The message of a job that reached no verdict. */
import { MemoryMarkError } from '../engine/base/errors.ts'
import { requestStatus } from '../github/client.ts'

/** Includes a stack trace only for our own bugs. */
export function failureMessage(error: unknown): string {
  if (error instanceof MemoryMarkError) return error.message
  const status = requestStatus(error)
  if (error instanceof Error && status !== undefined)
    return `GitHub answered ${status}: ${error.message}. ${advice(status)}`
  return `MemoryMark failed because of a bug of its own: ${error instanceof Error ? error.stack : String(error)}`
}

function advice(status: number): string {
  return status === 401 || status === 403 || status === 404
    ? 'Check that the job has `contents: read` and `pull-requests: read` or more, and run it again.'
    : 'Run the job again.'
}
