/** What the Action's and the bot's GitHub clients have in common: the same credentials, proxies, retries and API address. */
export interface GitHubClient {
  /** `route`: a method and a path template, as Octokit takes them. */
  request(route: string, parameters: Readonly<Record<string, unknown>>): Promise<{ readonly data: unknown }>
  graphql(query: string, variables: Readonly<Record<string, unknown>>): Promise<unknown>
}

/** A type, not an interface: Octokit takes parameters that may have others beside them. */
export type Repository = {
  readonly owner: string
  readonly repo: string
}

/** The HTTP status of a refusal by GitHub; undefined for every other error. */
export function requestStatus(error: unknown): number | undefined {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : undefined
}

/** GitHub answers 404 for most commits that it does not have, and 422 for some. */
export function isUnknownCommit(error: unknown): boolean {
  const status = requestStatus(error)
  return status === 404 || status === 422
}
