/** GitHub as single answers, for what the emulated one does not do: truncated lists, odd contents, refusals. */
import nock from 'nock'
import { afterAll, beforeAll } from 'vitest'
import { connect } from '../../action/github.ts'

// To load nock is to put it before every request, and other test files in this process send real ones.
nock.restore()

/** For a test file: its requests go to nock, and no others. */
export function throughNock(): void {
  beforeAll(() => {
    nock.activate()
    nock.disableNetConnect()
  })
  afterAll(() => {
    nock.enableNetConnect()
    nock.restore()
  })
}

export const repository = { owner: 'acme', repo: 'models' }

export const baseSha = 'b'.repeat(40)
export const headSha = 'a'.repeat(40)

/** The repository's API; every request must have been declared on it. */
export function repositoryApi(): nock.Scope {
  return nock('https://api.github.com/repos/acme/models')
}

/** nock sees the global fetch, not the one of npm's undici that the client brings. */
export function nockedGitHub() {
  return connect('token', globalThis.fetch)
}
