/** GitHub as single answers, for what the emulated one does not do: truncated lists, odd contents, refusals. */
import nock from 'nock'
import { connect } from '../../action/github.ts'

export const repository = { owner: 'acme', repo: 'models' }

export const baseSha = 'b'.repeat(40)
export const headSha = 'a'.repeat(40)

/** The repository's API; every request must have been declared on it. */
export function repositoryApi(): nock.Scope {
  return nock('https://api.github.com/repos/acme/models')
}

/** nock sees the global fetch, not the one of npm's undici that the client brings. */
export function nockedGitHub() {
  nock.disableNetConnect()
  return connect('token', globalThis.fetch)
}
