import nock from 'nock'
import { afterEach, expect, it } from 'vitest'
import { queryBlobs } from '../../github/blob-batch.ts'
import { headSha, nockedGitHub, repository, throughNock } from '../action/nocked-github.ts'

throughNock()
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([])
  nock.cleanAll()
})

function query(paths: readonly string[], baseUrl = 'https://api.github.com') {
  const client = nockedGitHub()
  client.hook.before('request', options => {
    options.baseUrl = baseUrl
  })
  client.graphql = client.graphql.defaults({ baseUrl })
  return queryBlobs(client, repository, headSha, paths)
}

const blob = { byteSize: 1, isBinary: false, isTruncated: false, text: 'a' }
const file = { mode: 0o100644, type: 'blob', oid: '1', object: blob }

it('a GitHub Enterprise Server answers queries beside its REST API', async () => {
  const answer = { data: { repository: { object: { file0: file } } } }
  nock('https://github.example.com').post('/api/graphql').reply(200, answer)
  expect(await query(['a.yaml'], 'https://github.example.com/api/v3')).toEqual([{ kind: 'text', text: 'a', sha: '1' }])
})

it('one path that is not there leaves the others', async () => {
  const errors = [{ type: 'NOT_FOUND', path: ['repository', 'object', 'file0'], message: 'no such path' }]
  nock('https://api.github.com')
    .post('/graphql')
    .reply(200, { data: { repository: { object: { file0: null, file1: file } } }, errors })
  expect(await query(['gone.yaml', 'a.yaml'])).toMatchObject([{ kind: 'absent' }, { kind: 'text' }])
})

it('a repository that is not there is a 404', async () => {
  const errors = [{ type: 'NOT_FOUND', path: ['repository'], message: 'Could not resolve to a Repository' }]
  nock('https://api.github.com')
    .post('/graphql')
    .reply(200, { data: { repository: null }, errors })
  await expect(query(['a.yaml'])).rejects.toMatchObject({ status: 404, message: 'Could not resolve to a Repository' })
})

it('a query that GitHub does not understand is our fault', async () => {
  const errors = [{ message: "Field 'fiel' doesn't exist on type 'Commit'", extensions: { code: 'undefinedField' } }]
  nock('https://api.github.com').post('/graphql').reply(200, { errors })
  await expect(query(['a.yaml'])).rejects.toMatchObject({ status: 422 })
})
