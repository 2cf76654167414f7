import nock from 'nock'
import { afterEach, expect, it } from 'vitest'
import { baseOf } from '../../action/base.ts'
import { baseSha, headSha, nockedGitHub, repository, repositoryApi } from './nocked-github.ts'

afterEach(() => {
  expect(nock.pendingMocks()).toEqual([])
  nock.cleanAll()
})

const pullRequest = { kind: 'pull-request', number: 7, baseSha, headSha, changedFiles: 1, isFork: false } as const
const renamed = async () => ({ formerPaths: new Map([['after.yaml', 'before.yaml']]) })

function answer(path: string, status: number, text = '') {
  const content = Buffer.from(text).toString('base64')
  const file = { type: 'file', size: text.length, sha: 'e'.repeat(40), encoding: 'base64', content }
  repositoryApi().get(`/contents/${path}?ref=${baseSha}`).reply(status, file)
}

it('is what the file held at the base, under its former name', async () => {
  answer('before.yaml', 200, 'batch: 1')
  answer('kept.yaml', 200, 'batch: 2')
  const base = baseOf(nockedGitHub(), repository, pullRequest, renamed)
  expect(await base?.('after.yaml')).toBe('batch: 1')
  expect(await base?.('kept.yaml')).toBe('batch: 2')
})

it('is nothing for a new file', async () => {
  answer('new.yaml', 404)
  expect(await baseOf(nockedGitHub(), repository, pullRequest, renamed)?.('new.yaml')).toBeUndefined()
})

it('is not asked for where everything at a commit is looked at', () => {
  expect(baseOf(nockedGitHub(), repository, { kind: 'tree', headSha }, renamed)).toBeUndefined()
})
