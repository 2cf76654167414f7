/** Error answers: the earlier tool's error body with the problems added. */
import * as z from 'zod'
import { didYouMean } from '../engine/base/did-you-mean.ts'
import { formatWhere, type Problem, problem } from '../engine/base/errors.ts'
import { quote } from '../engine/config/text/quote.ts'

export const fault = z.object({
  status: z.literal('error'),
  /** In one text, for people. */
  error: z.string(),
  problems: z.array(problem),
})
export type Fault = z.infer<typeof fault>

/** At least one problem. */
export function faultOf(...problems: readonly Problem[]): Fault {
  const error = problems.map(told => `${formatWhere(told)}${told.message}. ${told.fix}`).join(' ')
  return { status: 'error', error, problems: [...problems] }
}

const MAX_ISSUES = 50

const ADVICE = 'Correct the request; /openapi.json describes it.'

/** A strict object; for an unknown field, the message suggests the one that was meant. */
export function strictFields<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const meant = ([key = '']: readonly string[]) => didYouMean(key, Object.keys(shape), ADVICE)
  return z.strictObject(shape, {
    error: issue => (issue.code === 'unrecognized_keys' ? meant(issue.keys) : undefined),
  })
}

/** The problems that a schema finds in `request`, one for each field. */
export function problemsOf(error: z.ZodError, request: unknown): Problem[] {
  return error.issues.slice(0, MAX_ISSUES).map(issue => ({
    code: 'request-refused',
    ...refusal(issue, request),
    ...(issue.path.length > 0 && { field: issue.path.join('.').slice(0, 500) }),
  }))
}

function refusal(issue: z.core.$ZodIssue, request: unknown): Pick<Problem, 'message' | 'fix'> {
  const message = issue.message.slice(0, 500)
  switch (issue.code) {
    case 'unrecognized_keys':
      return { message: `Unknown field ${quote(issue.keys[0] ?? '')}`, fix: message }
    case 'invalid_value': {
      const written = valueAt(request, issue.path)
      return {
        message,
        fix: typeof written === 'string' ? didYouMean(written, issue.values.map(String), ADVICE) : ADVICE,
      }
    }
    default:
      return { message, fix: ADVICE }
  }
}

function valueAt(request: unknown, path: readonly PropertyKey[]): unknown {
  let value = request
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}
