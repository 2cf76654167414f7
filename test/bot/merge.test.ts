/** Whether GitHub lets a pull request merge, where the branch requires the bot's check. */
import { describe, expect, test } from 'vitest'
import {
  type EmulatedGitHub,
  maintainer,
  type NewPullRequest,
  type PullRequest,
  type Repository,
} from '../github/index.ts'
import { onA10 } from '../on-a10.ts'
import { fine, reportOf } from '../render/fixtures.ts'
import { startBotBesideGitHub } from './bot-beside-github.ts'
import { trainingConfig } from './configs.ts'
import { reportZip } from './zips.ts'

const path = 'configs/bert.yaml'
const wasteful = { [path]: trainingConfig(2) }
const good = { [path]: trainingConfig(256) }
const failing = { kind: 'refused', status: 405, reason: 'Required status check "MemoryMark" is failing.' }

/** `main` takes nothing without MemoryMark's own check; people and other Apps cannot stand in for it. */
async function protectedWorld({ mergeQueue = false } = {}) {
  const beside = await startBotBesideGitHub()
  const { github, bot } = beside
  const repository = await github.createRepository('models', { 'README.md': '# Models\n', ...onA10 })
  repository.protect('main', { checks: [{ context: 'MemoryMark', app_id: github.app.id }], mergeQueue })
  const opened = async (pull: NewPullRequest): Promise<PullRequest> => {
    const pullRequest = await repository.openPullRequest(pull)
    await bot.idle()
    return pullRequest
  }
  return { ...beside, repository, opened, [Symbol.asyncDispose]: () => beside[Symbol.asyncDispose]() }
}

describe.each([
  ['from a branch', false],
  ['from a fork', true],
])('a pull request %s', (_, fork) => {
  test('is merged when its config is good', async () => {
    await using at = await protectedWorld()
    const pullRequest = await at.opened({ fork, files: good })
    expect(await at.repository.merge(pullRequest)).toMatchObject({ kind: 'merged' })
  })

  test('is held back while its config wastes the GPU, and merged once it does not', async () => {
    await using at = await protectedWorld()
    const pullRequest = await at.opened({ fork, files: wasteful })
    expect(await at.repository.merge(pullRequest)).toEqual(failing)
    await at.repository.pushTo(pullRequest, good)
    await at.bot.idle()
    expect(await at.repository.merge(pullRequest)).toMatchObject({ kind: 'merged' })
  })

  test('is not merged by a check of that name which its own workflow writes', async () => {
    await using at = await protectedWorld()
    const pullRequest = await at.opened({ fork, files: wasteful })
    await writeCheck(at.github, at.repository, pullRequest.headSha, 'MemoryMark')
    expect(await at.repository.merge(pullRequest)).toEqual(failing)
  })
})

describe('a required check behind a path filter', () => {
  test('of a workflow holds back for ever what it does not run for', async () => {
    await using at = await protectedWorld()
    at.repository.protect('main', { checks: [{ context: 'gpu-sweep' }], mergeQueue: false })
    const withConfig = await at.opened({ files: good })
    await writeCheck(at.github, at.repository, withConfig.headSha, 'gpu-sweep')
    const withoutConfig = await at.opened({ files: { 'README.md': '# Our models\n' } })
    expect(await at.repository.merge(withConfig)).toMatchObject({ kind: 'merged' })
    expect(await at.repository.merge(withoutConfig)).toMatchObject({
      reason: 'Required status check "gpu-sweep" is expected.',
    })
  })

  test('is no need of MemoryMark: what has nothing to measure is merged', async () => {
    await using at = await protectedWorld()
    const pullRequest = await at.opened({ files: { 'README.md': '# Our models\n' } })
    expect(await at.repository.merge(pullRequest)).toMatchObject({ kind: 'merged' })
  })
})

describe('a merge queue', () => {
  const groupOf = async (repository: Repository, pullRequest: PullRequest) => {
    const queued = await repository.enqueue(pullRequest)
    if (queued.kind !== 'queued') throw new Error(queued.reason)
    return queued.group
  }

  test('does not take a pull request whose config wastes the GPU', async () => {
    await using at = await protectedWorld({ mergeQueue: true })
    const pullRequest = await at.opened({ files: wasteful })
    expect(await at.repository.enqueue(pullRequest)).toEqual({ kind: 'refused', reason: failing.reason })
  })

  test.each([
    ['a good config', good],
    ['no config', { 'README.md': '# Our models\n' }],
  ])('gets its check on the merged commit of a pull request with %s, and merges it', async (_, files) => {
    await using at = await protectedWorld({ mergeQueue: true })
    const group = await groupOf(at.repository, await at.opened({ files }))
    await at.bot.idle()
    expect(await at.repository.settleMergeGroup(group)).toEqual({ kind: 'merged', sha: group.head_sha })
    expect(await at.repository.branchHead('main')).toBe(group.head_sha)
  })

  test('goes by what a GPU measured of the same config, not by the estimate', async () => {
    await using at = await protectedWorld({ mergeQueue: true })
    const pullRequest = await at.opened({ files: wasteful })
    const artifact = reportZip(reportOf([fine({ path, provenance: 'measured' })]))
    await at.repository.finishWorkflowRun(pullRequest, { headSha: pullRequest.headSha, artifact })
    await at.bot.idle()
    const group = await groupOf(at.repository, pullRequest)
    await at.bot.idle()
    expect(await at.repository.settleMergeGroup(group)).toEqual({ kind: 'merged', sha: group.head_sha })
  })

  test('merges a wasteful config that somebody accepted on the pull request', async () => {
    await using at = await protectedWorld({ mergeQueue: true })
    const pullRequest = await at.opened({ files: wasteful })
    await at.repository.comment(pullRequest, '/memorymark accept the A10 is shared', maintainer)
    await at.bot.idle()
    const group = await groupOf(at.repository, pullRequest)
    await at.bot.idle()
    expect(await at.repository.settleMergeGroup(group)).toEqual({ kind: 'merged', sha: group.head_sha })
    const [check] = await at.repository.checkRuns(group.head_sha)
    expect(check?.output.summary).toContain('Accepted by `maintainer` on ')
  })

  test('has a verdict on the merged commit even of a wasteful config that slipped in', async () => {
    await using at = await protectedWorld({ mergeQueue: true })
    const pullRequest = await at.opened({ files: wasteful })
    at.repository.protect('main', { checks: [], mergeQueue: true })
    const group = await groupOf(at.repository, pullRequest)
    await at.bot.idle()
    at.repository.protect('main', { checks: [{ context: 'MemoryMark', app_id: at.github.app.id }], mergeQueue: true })
    expect(await at.repository.settleMergeGroup(group)).toEqual({ kind: 'removed', reason: failing.reason })
  })
})

/** As a workflow's own token writes it. */
async function writeCheck(github: EmulatedGitHub, repository: Repository, headSha: string, name: string) {
  const answer = await fetch(`${github.url}/repos/${repository.fullName}/check-runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await github.actionsToken()}` },
    body: JSON.stringify({ name, head_sha: headSha, status: 'completed', conclusion: 'success' }),
  })
  expect(answer.status).toBe(201)
}
