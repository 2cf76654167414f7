/**
 * The interface to GitHub clients that Action and bot share. Credentials, proxies, retries and the API's address are
 * the client's.
 */
export interface GitHubClient {
  /** `route`: a method and a path template, as Octokit takes them. */
  request(route: string, parameters: Readonly<Record<string, unknown>>): Promise<{ readonly data: unknown }>
  graphql(query: string, variables: Readonly<Record<string, unknown>>): Promise<unknown>
}

/** A type and not an interface, because Octokit's parameters need an index signature. */
export type Repository = {
  readonly owner: string
  readonly repo: string
}

/** The HTTP status of GitHub's error; undefined for other errors. */
export function requestStatus(error: unknown): number | undefined {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : undefined
}

/** For an unknown commit GitHub mostly answers 404, sometimes 422. */
export function isUnknownCommit(error: unknown): boolean {
  const status = requestStatus(error)
  return status === 404 || status === 422
}
