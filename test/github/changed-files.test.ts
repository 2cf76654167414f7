import nock from 'nock'
import { afterEach, describe, expect, it } from 'vitest'
import { IsolatedEngine } from '../../engine/index.ts'
import { openChange } from '../../github/change.ts'
import type { ChangedFiles, Subject } from '../../github/changed-files.ts'
import { baseSha, headSha, nockedGitHub, repository, repositoryApi, throughNock } from '../action/nocked-github.ts'

const mergeBaseSha = 'c'.repeat(40)

throughNock()
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([])
  nock.cleanAll()
})

function pullRequest(changedFiles: number) {
  return { kind: 'pull-request', number: 7, baseSha, headSha, changedFiles } satisfies Subject
}

function find(subject: Subject): Promise<ChangedFiles> {
  return openChange(nockedGitHub(), repository, subject, { engine: new IsolatedEngine() }).changed()
}

function listing(page: number, files: readonly object[]) {
  repositoryApi().get(`/pulls/7/files?per_page=100&page=${page}`).reply(200, files)
}

type Entries = Readonly<Record<string, string | readonly [sha: string, mode: string]>>

function tree(commitSha: string, entries: Entries, truncated = false) {
  const listed = Object.entries(entries).map(([path, entry]) => {
    const [sha, mode] = typeof entry === 'string' ? [entry, '100644'] : entry
    return { path, sha, mode, type: mode === '160000' ? 'commit' : mode === '040000' ? 'tree' : 'blob', size: 1 }
  })
  repositoryApi().get(`/git/trees/${commitSha}?recursive=true`).reply(200, { truncated, tree: listed })
}

const commits = { kind: 'commits', baseSha, headSha } as const

describe('the files of a pull request', () => {
  it('are those that exist at the head: new, changed and under their new name, with what the diff shows', async () => {
    listing(1, [
      { filename: 'new.yaml', status: 'added', patch: '@@ -0,0 +1 @@' },
      { filename: 'changed.yaml', status: 'modified' },
      { filename: 'gone.yaml', status: 'removed', patch: '@@ -1 +0,0 @@' },
      { filename: 'after.yaml', status: 'renamed', previous_filename: 'before.yaml' },
    ])
    const found = await find(pullRequest(4))
    expect(found).toMatchObject({ paths: ['new.yaml', 'changed.yaml', 'after.yaml'], remarks: [] })
    expect([...found.formerPaths]).toEqual([['after.yaml', 'before.yaml']])
    expect([...found.patches]).toEqual([['new.yaml', '@@ -0,0 +1 @@']])
    const touched = ['new.yaml', 'gone.yaml', 'before.yaml', 'other.yaml'].map(found.touches)
    expect(touched).toEqual([true, true, true, false])
  })

  it('are read from every page, and from no more', async () => {
    const page = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({ filename: `${from + index}.yaml`, status: 'added' }))
    listing(1, page(0, 100))
    listing(2, page(100, 1))
    expect((await find(pullRequest(101))).paths).toHaveLength(101)
    listing(1, page(0, 100))
    expect((await find(pullRequest(100))).paths).toHaveLength(100)
  })

  it('are found by comparing trees where GitHub lists fewer than it counts, and the reader is told', async () => {
    listing(1, [{ filename: 'a.yaml', status: 'added' }])
    repositoryApi()
      .get(`/compare/${baseSha}...${headSha}?per_page=1`)
      .reply(200, { merge_base_commit: { sha: mergeBaseSha } })
    tree(mergeBaseSha, { 'same.yaml': '1', 'changed.yaml': '2' })
    tree(headSha, { 'same.yaml': '1', 'changed.yaml': '3', 'a.yaml': '4' })
    const found = await find(pullRequest(2_999))
    expect(found.paths).toEqual(['changed.yaml', 'a.yaml'])
    expect(found.remarks).toEqual([
      "GitHub lists only 1 of the pull request's 2999 changed files, so its tree was compared with its base's tree instead.",
    ])
  })

  it('are not listed at all where there are more than GitHub lists', async () => {
    repositoryApi().get(`/compare/${baseSha}...${headSha}?per_page=1`).reply(404, { message: 'No common ancestor' })
    tree(headSha, { 'a.yaml': '1', 'b.yaml': '2' })
    tree(baseSha, { 'a.yaml': '1' })
    const found = await find(pullRequest(3_001))
    expect(found.paths).toEqual(['b.yaml'])
    expect(found.remarks).toEqual([
      "GitHub lists only 3000 of the pull request's 3001 changed files, so its tree was compared with its base's tree instead.",
    ])
  })
})

describe('the files between two commits', () => {
  it('are those whose contents or modes differ; deleted ones and folders are left out', async () => {
    tree(baseSha, { 'gone.yaml': '1', 'kept.yaml': '2', 'run.yaml': '5' })
    tree(headSha, { 'kept.yaml': '2', 'new.yaml': '3', folder: ['4', '040000'], 'run.yaml': ['5', '100755'] })
    const found = await find(commits)
    expect(found).toMatchObject({ paths: ['new.yaml', 'run.yaml'], remarks: [] })
    expect(['gone.yaml', 'new.yaml', 'kept.yaml'].map(found.touches)).toEqual([true, true, false])
  })

  it('keep their former paths where they were only renamed', async () => {
    tree(baseSha, { 'old/a.yaml': '1', 'copied.yaml': '2' })
    tree(headSha, { 'new/a.yaml': '1', 'copied.yaml': '2', 'copy.yaml': '2' })
    const found = await find(commits)
    expect(found.paths).toEqual(['new/a.yaml', 'copy.yaml'])
    expect([...found.formerPaths]).toEqual([['new/a.yaml', 'old/a.yaml']])
  })

  it('may be any where GitHub cut a list, and the reader is told', async () => {
    tree(baseSha, { 'a.yaml': '1' }, true)
    tree(headSha, { 'a.yaml': '1' })
    const found = await find(commits)
    expect(found.touches('b.yaml')).toBe(true)
    expect(found.remarks).toEqual([
      'GitHub lists only the first 1 files of commit bbbbbbb; configs beyond them are not checked.',
    ])
  })

  it('are not taken for deleted or renamed beyond the end of a list that GitHub cut', async () => {
    tree(baseSha, { 'b.yaml': '1', 'gone.yaml': '2', 'x/config.yaml': '3', 'y.yaml': '4' }, true)
    tree(headSha, { 'a.yaml': '3', 'b.yaml': '1', 'new.yaml': '2', 'x/a.yaml': '5' }, true)
    const found = await find(commits)
    expect(found.removed).toEqual(['gone.yaml'])
    expect([...found.formerPaths]).toEqual([['new.yaml', 'gone.yaml']])
  })

  it('are all files where a force-push took away the commit to compare with, and the reader is told', async () => {
    tree(headSha, { 'a.yaml': '1', 'b.yaml': '2' })
    repositoryApi().get(`/git/trees/${baseSha}?recursive=true`).reply(404, { message: 'Not Found' })
    const found = await find(commits)
    expect(found.paths).toEqual(['a.yaml', 'b.yaml'])
    expect(found.remarks).toEqual([
      'Commit bbbbbbb, the one to compare with, is gone (a force-push removes it), so every file at aaaaaaa is checked.',
    ])
  })

  it('are not made up when GitHub refuses', async () => {
    repositoryApi().get(`/git/trees/${baseSha}?recursive=true`).reply(403, { message: 'Resource not accessible' })
    await expect(find(commits)).rejects.toThrow('Resource not accessible')
  })
})

it('every file at a commit is listed, and a list that GitHub cut says so', async () => {
  tree(headSha, { 'a.yaml': '1' }, true)
  expect(await find({ kind: 'tree', headSha })).toMatchObject({
    paths: ['a.yaml'],
    remarks: ['GitHub lists only the first 1 files of commit aaaaaaa; configs beyond them are not checked.'],
  })
})
