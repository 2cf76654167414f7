/**
 * Sends GraphQL queries and turns errors into those of the REST API, since GitHub answers most of them with status 200.
 */
import * as z from 'zod'
import type { GitHubClient } from './client.ts'

/** Has the shape of Octokit's errors, so that the same code handles both. */
export class GraphqlRefusal extends Error {
  override readonly name = 'GraphqlRefusal'
  /** The status that the REST API would have answered. */
  readonly status: number
  readonly response: { readonly headers: Readonly<Record<string, unknown>> }

  constructor(message: string, status: number, headers: Readonly<Record<string, unknown>>, cause: unknown) {
    super(message, { cause })
    this.status = status
    this.response = { headers }
  }
}

export async function ask<T>(
  client: GitHubClient,
  query: string,
  variables: Readonly<Record<string, unknown>>,
  schema: z.ZodType<T>,
): Promise<T> {
  const answer = await client.graphql(query, variables).catch((error: unknown) => {
    const refused = responseError.safeParse(error)
    if (!refused.success) throw error
    if (refused.data.errors.every(isOfOneField)) return refused.data.data
    throw refusalBehind(refused.data, error)
  })
  return schema.parse(answer)
}

/** The error that Octokit throws for an answer with errors. */
const responseError = z.object({
  name: z.literal('GraphqlResponseError'),
  headers: z.record(z.string(), z.unknown()).default({}),
  data: z.unknown(),
  errors: z
    .array(
      z.object({
        type: z.string().optional(),
        message: z.string().default(''),
        path: z.array(z.union([z.string(), z.number()])).default([]),
      }),
    )
    .min(1),
})
type ResponseError = z.infer<typeof responseError>
type OneError = ResponseError['errors'][number]

/** Whether only one field failed: it is null, and the others are valid. */
function isOfOneField({ type, path }: OneError): boolean {
  return type === 'NOT_FOUND' && path.length > 1
}

const statuses: Readonly<Record<string, number>> = {
  RATE_LIMITED: 429,
  FORBIDDEN: 403,
  INSUFFICIENT_SCOPES: 403,
  NOT_FOUND: 404,
}

function refusalBehind({ errors, headers }: ResponseError, cause: unknown): GraphqlRefusal {
  const [known] = errors.flatMap(({ type }) => statuses[type ?? ''] ?? []).sort((a, b) => b - a)
  const message = errors.map(one => one.message).join('; ')
  return new GraphqlRefusal(message, known ?? (errors.every(isInternal) ? 502 : 422), headers, cause)
}

/** Whether GitHub failed or timed out; other errors mean an invalid query. */
function isInternal({ type, message }: OneError): boolean {
  return type === 'INTERNAL' || type === 'SERVICE_UNAVAILABLE' || /^Something went wrong|timed? ?out/i.test(message)
}
