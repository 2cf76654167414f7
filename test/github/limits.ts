/** The limits that GitHub enforces and emulate does not: what GitHub would answer instead of doing the work. */

export interface Refusal {
  readonly status: number
  readonly message: string
}

export const MAX_ANNOTATIONS = 50
export const MAX_CHECK_TEXT = 65_535
export const MAX_COMMENT = 65_536

interface WriteBody {
  readonly body?: unknown
  readonly output?: {
    readonly title?: unknown
    readonly summary?: unknown
    readonly text?: unknown
    readonly annotations?: unknown
  }
}

export function refusalOf(method: string, path: string, body: unknown): Refusal | undefined {
  if (method !== 'POST' && method !== 'PATCH') return undefined
  const write = (typeof body === 'object' && body !== null ? body : {}) as WriteBody
  if (/\/check-runs(\/\d+)?$/.test(path)) return checkRunRefusal(write)
  if (/\/issues\/(\d+\/comments|comments\/\d+)$/.test(path)) return commentRefusal(write)
  return undefined
}

function checkRunRefusal({ output }: WriteBody): Refusal | undefined {
  if (output === undefined) return undefined
  if (typeof output.title !== 'string' || typeof output.summary !== 'string') {
    return invalid('output needs a title and a summary')
  }
  for (const field of ['summary', 'text'] as const) {
    const text = output[field]
    if (typeof text === 'string' && text.length > MAX_CHECK_TEXT) {
      return invalid(`Only ${MAX_CHECK_TEXT} characters are allowed in output.${field}; ${text.length} were supplied.`)
    }
  }
  const count = Array.isArray(output.annotations) ? output.annotations.length : 0
  return count > MAX_ANNOTATIONS
    ? invalid(`Only ${MAX_ANNOTATIONS} annotations are allowed in a request; ${count} were supplied.`)
    : undefined
}

function commentRefusal({ body }: WriteBody): Refusal | undefined {
  return typeof body === 'string' && body.length > MAX_COMMENT
    ? invalid(`Body is too long (maximum is ${MAX_COMMENT} characters)`)
    : undefined
}

function invalid(message: string): Refusal {
  return { status: 422, message: `Validation Failed: ${message}` }
}
