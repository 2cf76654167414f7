/** The limits that GitHub enforces and emulate does not: what GitHub would answer instead of doing the work. */

export interface Refusal {
  readonly status: number
  readonly message: string
}

const MAX_ANNOTATIONS = 50
const MAX_CHECK_TEXT = 65_535
const MAX_COMMENT = 65_536

interface WriteBody {
  readonly body?: unknown
  readonly actions?: unknown
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
  if (/\/(issues|pulls)(\/\d+)?(\/comments(\/\d+)?)?$/.test(path)) return bodyRefusal(write)
  return undefined
}

function checkRunRefusal({ output, actions }: WriteBody): Refusal | undefined {
  const refusal = actionsRefusal(actions)
  if (refusal !== undefined) return refusal
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

/** GitHub's buttons: three at most, with short words on them. */
const MAX_ACTIONS = 3
const maxActionText = { label: 20, description: 40, identifier: 20 } as const

function actionsRefusal(actions: unknown): Refusal | undefined {
  if (actions === undefined) return undefined
  if (!Array.isArray(actions) || actions.length > MAX_ACTIONS)
    return invalid(`Only ${MAX_ACTIONS} actions are allowed.`)
  for (const [field, most] of Object.entries(maxActionText)) {
    const unfit = actions.some(action => typeof action[field] !== 'string' || action[field].length > most)
    if (unfit) return invalid(`actions.${field} needs at most ${most} characters.`)
  }
  return undefined
}

function bodyRefusal({ body }: WriteBody): Refusal | undefined {
  return typeof body === 'string' && body.length > MAX_COMMENT
    ? invalid(`Body is too long (maximum is ${MAX_COMMENT} characters)`)
    : undefined
}

function invalid(message: string): Refusal {
  return { status: 422, message: `Validation Failed: ${message}` }
}
