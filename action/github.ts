/** The GitHub client, and the repository it is asked about. */
import { getOctokit } from '@actions/github'

export type GitHub = ReturnType<typeof getOctokit>

export interface Repository {
  readonly owner: string
  readonly repo: string
}

/** GITHUB_API_URL is honoured. `fetch` stands in for the network in tests. */
export function connect(token: string, fetch?: typeof globalThis.fetch): GitHub {
  const github = getOctokit(token, fetch && { request: { fetch } })
  github.hook.before('request', options => {
    options.headers['x-github-api-version'] = '2022-11-28'
  })
  return github
}

/** The HTTP status that a request failed with; undefined for every other error. */
export function requestStatus(error: unknown): number | undefined {
  return error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : undefined
}
