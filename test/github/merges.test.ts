import { expect, test } from 'vitest'
import { call, world } from './caller.ts'
import { actionsApp, memoryMarkApp, type Repository } from './index.ts'

const required = { context: 'MemoryMark', app_id: memoryMarkApp.id }

async function protectedMain(mergeQueue = false) {
  const at = await world()
  at.repository.protect('main', { checks: [required], mergeQueue })
  const pullRequest = await at.repository.openPullRequest({ files: { 'a.yaml': 'a: 2\n' } })
  const check = async (headSha: string, conclusion?: string, token?: string) => {
    const state = conclusion === undefined ? { status: 'in_progress' } : { status: 'completed', conclusion }
    const body = { name: 'MemoryMark', head_sha: headSha, ...state }
    await call(at.github, token ?? (await at.github.botToken()), 'POST', '/repos/acme/models/check-runs', body)
  }
  return { ...at, pullRequest, check, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() }
}

const reason = (state: string) => `Required status check "MemoryMark" is ${state}.`

test('without its required check a merge is refused', async () => {
  await using at = await protectedMain()
  expect(await at.repository.merge(at.pullRequest)).toEqual({
    kind: 'refused',
    status: 405,
    reason: reason('expected'),
  })
})

test.each([
  [undefined, { kind: 'refused', reason: reason('pending') }],
  ['failure', { kind: 'refused', reason: reason('failing') }],
  ['cancelled', { kind: 'refused', reason: reason('failing') }],
  ['action_required', { kind: 'refused', reason: reason('failing') }],
  ['success', { kind: 'merged' }],
  ['neutral', { kind: 'merged' }],
  ['skipped', { kind: 'merged' }],
])('a required check that concludes %s decides', async (conclusion, outcome) => {
  await using at = await protectedMain()
  await at.check(at.pullRequest.headSha, conclusion)
  expect(await at.repository.merge(at.pullRequest)).toMatchObject(outcome)
})

test('the check of an older commit, or of the same name by another App, does not count', async () => {
  await using at = await protectedMain()
  await at.check(at.pullRequest.headSha, 'success')
  await at.repository.pushTo(at.pullRequest, { 'a.yaml': 'a: 3\n' })
  await at.check(at.pullRequest.headSha, 'success', await at.github.actionsToken())
  expect(await at.repository.merge(at.pullRequest)).toMatchObject({ reason: reason('expected') })
  at.repository.protect('main', { checks: [{ ...required, app_id: actionsApp.id }], mergeQueue: false })
  expect(await at.repository.merge(at.pullRequest)).toMatchObject({ kind: 'merged' })
})

test('a merge brings the change, keeps what others merged, and is told of', async () => {
  await using at = await protectedMain()
  await at.repository.pushToBranch('main', { 'b.yaml': 'b: 2\n' })
  await at.check(at.pullRequest.headSha, 'success')
  await at.repository.merge(at.pullRequest)
  expect(await read(at.repository)).toEqual(['a: 2\n', 'b: 2\n'])
  const told = JSON.parse(at.github.deliveries.at(-1)?.body ?? '{}')
  expect(told).toMatchObject({ action: 'closed', pull_request: { merged: true, state: 'closed' } })
  expect(told.pull_request.merge_commit_sha).toBe(await at.repository.branchHead('main'))
})

test('where there is a queue, a merge goes through it, on a commit with a check of its own', async () => {
  await using at = await protectedMain(true)
  expect(await at.repository.enqueue(at.pullRequest)).toEqual({ kind: 'refused', reason: reason('expected') })
  await at.check(at.pullRequest.headSha, 'success')
  expect(await at.repository.merge(at.pullRequest)).toMatchObject({
    status: 405,
    reason: expect.stringContaining('queue'),
  })
  const queued = await at.repository.enqueue(at.pullRequest)
  if (queued.kind !== 'queued') throw new Error(queued.reason)
  const { group } = queued
  const asked = JSON.parse(at.github.deliveries.at(-1)?.body ?? '{}')
  expect(asked).toMatchObject({
    action: 'checks_requested',
    merge_group: { head_sha: group.head_sha, base_ref: 'refs/heads/main' },
  })
  expect(asked.merge_group.head_ref).toMatch(/^refs\/heads\/gh-readonly-queue\/main\/pr-1-[0-9a-f]{40}$/)
  expect(await at.repository.settleMergeGroup(group)).toEqual({ kind: 'waiting', reason: reason('expected') })
  await at.check(group.head_sha, 'success')
  expect(await at.repository.settleMergeGroup(group)).toEqual({ kind: 'merged', sha: group.head_sha })
  expect(await read(at.repository)).toEqual(['a: 2\n', 'b: 1\n'])
})

test('a group whose check fails leaves the queue, and nothing is merged', async () => {
  await using at = await protectedMain(true)
  await at.check(at.pullRequest.headSha, 'success')
  const queued = await at.repository.enqueue(at.pullRequest)
  if (queued.kind !== 'queued') throw new Error(queued.reason)
  await at.check(queued.group.head_sha, 'failure')
  expect(await at.repository.settleMergeGroup(queued.group)).toEqual({ kind: 'removed', reason: reason('failing') })
  expect(await read(at.repository)).toEqual(['a: 1\n', 'b: 1\n'])
})

async function read(repository: Repository) {
  return Promise.all(['a.yaml', 'b.yaml'].map(path => repository.fileAt(path, 'main')))
}
