import { describe, expect, test } from 'vitest'
import { readEvent } from '../../../bot/webhooks/events.ts'

const installation = { id: 100 }
const repository = { id: 1, name: 'models', full_name: 'acme/models' }
const schedule = { kind: 'schedule', installationId: 100, repositoryId: 1, owner: 'acme', repo: 'models' }

function jobsOf(event: string, payload: object) {
  const reading = readEvent(event, payload)
  return reading.kind === 'work' ? reading.work.jobs : reading.kind
}

describe('what an account does with the App', () => {
  test('taking it out makes a departure', () => {
    expect(jobsOf('installation', { action: 'deleted', installation, repositories: [repository] })).toEqual([
      { kind: 'departure', installationId: 100 },
    ])
  })

  test('installing it, or adding a repository, has the repository looked at', () => {
    expect(jobsOf('installation', { action: 'created', installation, repositories: [repository] })).toEqual([schedule])
    expect(
      jobsOf('installation_repositories', { action: 'added', installation, repositories_added: [repository] }),
    ).toEqual([schedule])
  })

  test('suspending it, or taking a repository out, is nothing to do', () => {
    expect(jobsOf('installation', { action: 'suspend', installation })).toBe('not-ours')
    expect(jobsOf('installation_repositories', { action: 'removed', installation, repositories_added: [] })).toBe(
      'not-ours',
    )
  })

  test('is not read where it does not look as documented', () => {
    expect(jobsOf('installation', { action: 'deleted', installation: { id: 'all' } })).toBe('unreadable')
  })
})

describe('a pull request that is closed', () => {
  const payload = (merged: boolean) => ({
    action: 'closed',
    number: 7,
    pull_request: { merged },
    installation,
    repository: { id: 1, name: 'models', owner: { login: 'acme' } },
  })
  const at = { installationId: 100, repositoryId: 1, owner: 'acme', repo: 'models', number: 7 }

  test('enters the ledger where it was merged', () => {
    expect(jobsOf('pull_request', payload(true))).toEqual([
      { kind: 'pull-request', ...at },
      { kind: 'merged', ...at },
    ])
    expect(jobsOf('pull_request', payload(false))).toEqual([{ kind: 'pull-request', ...at }])
  })
})

test('a comment of nothing but blank lines is read at once', () => {
  const payload = {
    action: 'created',
    issue: { number: 7, pull_request: {} },
    comment: { id: 1, body: '\n'.repeat(65_536), user: { login: 'mona' } },
    installation,
    repository: { id: 1, name: 'models', owner: { login: 'acme' } },
  }
  expect(jobsOf('issue_comment', payload)).toBe('not-ours')
})
