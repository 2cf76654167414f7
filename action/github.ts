/** The GitHub client. */
import { getOctokit } from '@actions/github'

/** Routes are asked for by their paths: the bundle leaves out Octokit's table of methods for all of them. */
export type GitHub = Omit<ReturnType<typeof getOctokit>, 'rest'>

/** Uses GITHUB_API_URL. `fetch` replaces the network in tests. */
export function connect(token: string, fetch?: typeof globalThis.fetch): GitHub {
  const github = getOctokit(token, fetch && { request: { fetch } })
  github.hook.before('request', options => {
    options.headers['x-github-api-version'] = '2022-11-28'
  })
  return github
}
