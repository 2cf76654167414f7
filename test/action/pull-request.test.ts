import nock from 'nock'
import { afterEach, describe, expect, it } from 'vitest'
import { resolveSubject } from '../../action/pull-request.ts'
import { baseSha, headSha, nockedGitHub, repository, repositoryApi, throughNock } from './nocked-github.ts'

throughNock()
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([])
  nock.cleanAll()
})

function pullRequestIs(headRepository: { full_name: string } | null) {
  repositoryApi()
    .get('/pulls/7')
    .reply(200, {
      number: 7,
      changed_files: 3,
      base: { sha: baseSha, repo: { full_name: 'acme/models' } },
      head: { sha: headSha, repo: headRepository },
    })
}

function resolved(named: { headSha?: string } = {}) {
  return resolveSubject(nockedGitHub(), repository, { kind: 'named-pull-request', number: 7, ...named })
}

const found = { kind: 'pull-request', number: 7, baseSha, headSha, changedFiles: 3 }

describe('a pull request of which the event tells little', () => {
  it('is looked up, at its newest commit unless another is asked for', async () => {
    pullRequestIs({ full_name: 'acme/models' })
    expect(await resolved()).toEqual({ kind: 'found', subject: { ...found, isFork: false } })
    pullRequestIs({ full_name: 'acme/models' })
    expect(await resolved({ headSha })).toEqual({ kind: 'found', subject: { ...found, isFork: false } })
  })

  it.each([{ full_name: 'mona/models' }, null])('is from a fork where its head is of %o', async headRepository => {
    pullRequestIs(headRepository)
    expect(await resolved()).toEqual({ kind: 'found', subject: { ...found, isFork: true } })
  })

  it('is left alone at a commit that it has moved on from', async () => {
    pullRequestIs({ full_name: 'acme/models' })
    expect(await resolved({ headSha: 'd'.repeat(40) })).toEqual({
      kind: 'nothing-to-look-at',
      why: 'Pull request #7 has moved on from ddddddd to aaaaaaa: the older commit is not checked.',
    })
  })
})

it('what the event tells whole is not asked about', async () => {
  const subject = { kind: 'commits', baseSha, headSha } as const
  expect(await resolveSubject(nockedGitHub(), repository, subject)).toEqual({ kind: 'found', subject })
  expect(await resolveSubject(nockedGitHub(), repository, { kind: 'deleted-branch' })).toEqual({
    kind: 'nothing-to-look-at',
    why: 'The branch is deleted: there is nothing to check.',
  })
})
