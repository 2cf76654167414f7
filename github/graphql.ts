/** GraphQL queries, with refusals told as the REST API tells them: GitHub answers most of them with status 200. */
import * as z from 'zod'
import type { GitHubClient } from './client.ts'

/** Shaped like Octokit's errors, so that whoever understands those understands this. */
export class GraphqlRefusal extends Error {
  override readonly name = 'GraphqlRefusal'
  /** What the REST API would have answered. */
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

/** What Octokit throws for an answer that holds errors. */
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

/** Something inside the repository is not there: the field is null, and the others hold. */
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

/** GitHub ran out of time or failed; anything else is a query that it does not understand. */
function isInternal({ type, message }: OneError): boolean {
  return type === 'INTERNAL' || type === 'SERVICE_UNAVAILABLE' || /^Something went wrong|timed? ?out/i.test(message)
}
