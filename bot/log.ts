/** The log. An error for a wrong webhook signature carries the whole payload, which is not written. */
import { type DestinationStream, type Logger, pino } from 'pino'
import { escapeInvisible } from '../engine/render/invisible.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/**
 * JSON lines to `destination`, standard output by default. Invisible characters are escaped, since names of files,
 * branches and accounts could mislead a terminal or a reader.
 */
export function createLog(level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    name: 'memorymark',
    level,
    serializers: { err: describeError },
    hooks: { streamWrite: escapeInvisible },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

interface DescribedError {
  readonly type: string
  readonly message: string
  readonly stack?: string
  readonly status?: number
  readonly cause?: DescribedError
  readonly errors?: readonly DescribedError[]
}

/** Only the named fields: Octokit's errors carry requests, and webhook errors carry events. */
function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'Not an error' }
  return {
    type: error.name,
    message: error.message,
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...('status' in error && typeof error.status === 'number' ? { status: error.status } : {}),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
    ...(error instanceof AggregateError ? { errors: error.errors.map(describeError) } : {}),
  }
}
