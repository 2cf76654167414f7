import nock from 'nock'
import { afterEach, describe, expect, it } from 'vitest'
import { findChangedFiles } from '../../action/changed-files.ts'
import type { Subject } from '../../action/event.ts'
import { baseSha, headSha, nockedGitHub, repository, repositoryApi } from './nocked-github.ts'

const mergeBaseSha = 'c'.repeat(40)

afterEach(() => {
  expect(nock.pendingMocks()).toEqual([])
  nock.cleanAll()
})

function pullRequest(changedFiles: number) {
  return { kind: 'pull-request', number: 7, baseSha, headSha, changedFiles, isFork: false } satisfies Subject
}

function tree(entries: Readonly<Record<string, string>>, truncated = false) {
  return {
    truncated,
    tree: Object.entries(entries).map(([path, sha]) => ({ path, sha, type: 'blob', mode: '100644' })),
  }
}

describe('the files of a pull request', () => {
  it('are those that exist at the head: new, changed and under their new name', async () => {
    repositoryApi()
      .get('/pulls/7/files?per_page=100')
      .reply(200, [
        { filename: 'new.yaml', status: 'added' },
        { filename: 'changed.yaml', status: 'modified' },
        { filename: 'gone.yaml', status: 'removed' },
        { filename: 'after.yaml', status: 'renamed', previous_filename: 'before.yaml' },
      ])
    const found = await findChangedFiles(nockedGitHub(), repository, pullRequest(4))
    expect(found).toEqual({
      paths: ['new.yaml', 'changed.yaml', 'after.yaml'],
      formerPaths: new Map([['after.yaml', 'before.yaml']]),
      remarks: [],
    })
  })

  it('are read from every page', async () => {
    const api = repositoryApi()
    const next = '<https://api.github.com/repos/acme/models/pulls/7/files?per_page=100&page=2>; rel="next"'
    api.get('/pulls/7/files?per_page=100').reply(200, [{ filename: 'a.yaml', status: 'added' }], { link: next })
    api.get('/pulls/7/files?per_page=100&page=2').reply(200, [{ filename: 'b.yaml', status: 'added' }])
    const { paths } = await findChangedFiles(nockedGitHub(), repository, pullRequest(2))
    expect(paths).toEqual(['a.yaml', 'b.yaml'])
  })

  it('are found by comparing trees where GitHub lists fewer than it counts, and the reader is told', async () => {
    const api = repositoryApi()
    api.get('/pulls/7/files?per_page=100').reply(200, [{ filename: 'a.yaml', status: 'added' }])
    api.get(`/compare/${baseSha}...${headSha}?per_page=1`).reply(200, { merge_base_commit: { sha: mergeBaseSha } })
    api.get(`/git/trees/${mergeBaseSha}?recursive=true`).reply(200, tree({ 'same.yaml': '1', 'changed.yaml': '2' }))
    api
      .get(`/git/trees/${headSha}?recursive=true`)
      .reply(200, tree({ 'same.yaml': '1', 'changed.yaml': '3', 'a.yaml': '4' }))
    const found = await findChangedFiles(nockedGitHub(), repository, pullRequest(3_001))
    expect(found.paths).toEqual(['changed.yaml', 'a.yaml'])
    expect(found.remarks).toEqual([
      "GitHub lists only 1 of the pull request's 3001 changed files, so its tree was compared with its base's tree instead.",
    ])
  })
})

describe('the files between two commits', () => {
  it('are those whose contents differ; deleted ones and folders are left out', async () => {
    const api = repositoryApi()
    api.get(`/git/trees/${baseSha}?recursive=true`).reply(200, tree({ 'gone.yaml': '1', 'kept.yaml': '2' }))
    api.get(`/git/trees/${headSha}?recursive=true`).reply(200, {
      truncated: false,
      tree: [...tree({ 'kept.yaml': '2', 'new.yaml': '3' }).tree, { path: 'folder', sha: '4', type: 'tree' }],
    })
    const found = await findChangedFiles(nockedGitHub(), repository, { kind: 'commits', baseSha, headSha })
    expect(found).toEqual({ paths: ['new.yaml'], formerPaths: new Map(), remarks: [] })
  })

  it('keep their former paths where they were only renamed', async () => {
    const api = repositoryApi()
    api.get(`/git/trees/${baseSha}?recursive=true`).reply(200, tree({ 'old/a.yaml': '1', 'copied.yaml': '2' }))
    api
      .get(`/git/trees/${headSha}?recursive=true`)
      .reply(200, tree({ 'new/a.yaml': '1', 'copied.yaml': '2', 'copy.yaml': '2' }))
    const found = await findChangedFiles(nockedGitHub(), repository, { kind: 'commits', baseSha, headSha })
    expect(found.paths).toEqual(['new/a.yaml', 'copy.yaml'])
    expect([...found.formerPaths]).toEqual([['new/a.yaml', 'old/a.yaml']])
  })
})

describe('a commit that the change was to be compared with', () => {
  it('and that a force-push took away leaves every file at the head, and the reader is told', async () => {
    const api = repositoryApi()
    api.get(`/git/trees/${headSha}?recursive=true`).reply(200, tree({ 'a.yaml': '1', 'b.yaml': '2' }))
    api.get(`/git/trees/${baseSha}?recursive=true`).reply(404, { message: 'Not Found' })
    const found = await findChangedFiles(nockedGitHub(), repository, { kind: 'commits', baseSha, headSha })
    expect(found.paths).toEqual(['a.yaml', 'b.yaml'])
    expect(found.remarks).toEqual([
      'Commit bbbbbbb, the one to compare with, is gone (a force-push removes it), so every file at aaaaaaa is checked.',
    ])
  })

  it('stands in for a merge base that GitHub cannot find', async () => {
    const api = repositoryApi()
    api.get('/pulls/7/files?per_page=100').reply(200, [])
    api.get(`/compare/${baseSha}...${headSha}?per_page=1`).reply(404, { message: 'No common ancestor' })
    api.get(`/git/trees/${headSha}?recursive=true`).reply(200, tree({ 'a.yaml': '1', 'b.yaml': '2' }))
    api.get(`/git/trees/${baseSha}?recursive=true`).reply(200, tree({ 'a.yaml': '1' }))
    const { paths } = await findChangedFiles(nockedGitHub(), repository, pullRequest(3_001))
    expect(paths).toEqual(['b.yaml'])
  })

  it('fails the run when GitHub fails', async () => {
    const api = repositoryApi()
    api.get(`/git/trees/${headSha}?recursive=true`).reply(200, tree({}))
    api.get(`/git/trees/${baseSha}?recursive=true`).reply(403, { message: 'Resource not accessible' })
    await expect(findChangedFiles(nockedGitHub(), repository, { kind: 'commits', baseSha, headSha })).rejects.toThrow(
      'Resource not accessible',
    )
  })
})

describe('every file at a commit', () => {
  it('is listed, and a list that GitHub cut says so', async () => {
    repositoryApi()
      .get(`/git/trees/${headSha}?recursive=true`)
      .reply(200, tree({ 'a.yaml': '1' }, true))
    const found = await findChangedFiles(nockedGitHub(), repository, { kind: 'tree', headSha })
    expect(found).toEqual({
      paths: ['a.yaml'],
      formerPaths: new Map(),
      remarks: ['GitHub lists only the first 1 files of commit aaaaaaa; configs beyond them are not checked.'],
    })
  })
})
