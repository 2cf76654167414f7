/** The GitHub client. */
import { getOctokit } from '@actions/github'

export type GitHub = ReturnType<typeof getOctokit>

/** Uses GITHUB_API_URL. `fetch` replaces the network in tests. */
export function connect(token: string, fetch?: typeof globalThis.fetch): GitHub {
  const github = getOctokit(token, fetch && { request: { fetch } })
  github.hook.before('request', options => {
    options.headers['x-github-api-version'] = '2022-11-28'
  })
  return github
}
