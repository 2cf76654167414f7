/** What the server answers when it cannot do what is asked: the earlier tool's error body, with the problems besides. */
import * as z from 'zod'
import { formatWhere, type Problem, problem } from '../errors.ts'

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

/** What a schema refuses, field by field. */
export function problemsOf(error: z.ZodError): Problem[] {
  return error.issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    code: 'request-refused',
    message: message.slice(0, 500),
    fix: 'Correct the request; /openapi.json describes it.',
    ...(path.length > 0 && { field: path.join('.').slice(0, 500) }),
  }))
}
