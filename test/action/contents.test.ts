import nock from 'nock'
import { afterEach, expect, it } from 'vitest'
import { fetchFiles } from '../../action/contents.ts'
import { headSha, nockedGitHub, repository, repositoryApi } from './nocked-github.ts'

afterEach(() => {
  expect(nock.pendingMocks()).toEqual([])
  nock.cleanAll()
})

function answer(path: string, status: number, body: object) {
  repositoryApi()
    .get(`/contents/${encodeURIComponent(path)}?ref=${headSha}`)
    .reply(status, body)
}

function file(text: string) {
  return { type: 'file', size: Buffer.byteLength(text), sha: 'e'.repeat(40), encoding: 'base64', content: base64(text) }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function fetchPaths(...paths: string[]) {
  return fetchFiles(nockedGitHub(), repository, headSha, paths)
}

it('reads files at the head, in the order asked for', async () => {
  answer('a.yaml', 200, file('batch: 1'))
  answer('b/ü.yaml', 200, file('größe: 2'))
  expect(await fetchPaths('a.yaml', 'b/ü.yaml')).toEqual({
    files: [
      { path: 'a.yaml', text: 'batch: 1' },
      { path: 'b/ü.yaml', text: 'größe: 2' },
    ],
    absent: [],
    remarks: [],
  })
})

it('asks for a hostile path as one encoded name', async () => {
  answer('a?ref=main#../../x%2F.yaml', 200, file('x'))
  const { files } = await fetchPaths('a?ref=main#../../x%2F.yaml')
  expect(files).toHaveLength(1)
})

it('reads a file of 5 MB, which GitHub sends as a blob only', async () => {
  const sha = 'f'.repeat(40)
  answer('large.yaml', 200, { type: 'file', size: 5_000_000, sha, encoding: 'none', content: '' })
  repositoryApi()
    .get(`/git/blobs/${sha}`)
    .reply(200, { encoding: 'base64', content: base64('per_device: 1') })
  expect((await fetchPaths('large.yaml')).files).toEqual([{ path: 'large.yaml', text: 'per_device: 1' }])
})

it('leaves a file above 16 MiB unread and says so, and reads the others', async () => {
  answer('huge.json', 200, { type: 'file', size: 16_777_217, sha: 'f'.repeat(40), encoding: 'none', content: '' })
  answer('a.yaml', 200, file('x'))
  expect(await fetchPaths('huge.json', 'a.yaml')).toEqual({
    files: [{ path: 'a.yaml', text: 'x' }],
    absent: [],
    remarks: ['Files larger than 16 MiB are not read: 1 skipped.'],
  })
})

it('leaves out a submodule, a directory and a file that is gone, and tells which is gone', async () => {
  answer('module.yaml', 200, { type: 'submodule', size: 0 })
  answer('folder.yaml', 200, [{ type: 'file', size: 1 }])
  answer('gone.yaml', 404, { message: 'Not Found' })
  expect(await fetchPaths('module.yaml', 'folder.yaml', 'gone.yaml')).toEqual({
    files: [],
    absent: ['gone.yaml'],
    remarks: [],
  })
})

it('lets every other refusal through', async () => {
  answer('a.yaml', 403, { message: 'Resource not accessible by integration' })
  await expect(fetchPaths('a.yaml')).rejects.toThrow('Resource not accessible by integration')
})
