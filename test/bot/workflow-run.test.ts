import { describe, expect, test } from 'vitest'
import type { PullRequest } from '../github/index.ts'
import { fine, reportOf, wasteful } from '../render/fixtures.ts'
import { startBotBesideGitHub } from './bot-beside-github.ts'
import { judgeByMicroBatch, trainingConfig } from './configs.ts'
import { bomb } from './measurement/bombs.ts'
import { reportZip, zipOf } from './zips.ts'

const path = 'configs/bert.yaml'
const measured = reportZip(reportOf([fine({ path, provenance: 'measured' })]))

/** A pull request that the bot's own estimate blocks. */
async function blockedPullRequest(options: { fork?: boolean; files?: Record<string, string> } = {}) {
  const beside = await startBotBesideGitHub({ analyze: judgeByMicroBatch })
  const repository = await beside.github.createRepository('models', { 'README.md': '# Models\n' })
  const pullRequest = await repository.openPullRequest({
    fork: options.fork ?? false,
    files: { [path]: trainingConfig(16), ...options.files },
  })
  await beside.bot.idle()
  const newestCheck = async (of: PullRequest = pullRequest) => (await repository.checkRuns(of.headSha)).at(-1)
  const dispose = () => beside[Symbol.asyncDispose]()
  return { ...beside, repository, pullRequest, newestCheck, [Symbol.asyncDispose]: dispose }
}

describe('a finished run of the workflow', () => {
  test.each([
    ['from a branch', false],
    ['from a fork, whose run names no pull request', true],
  ])('%s: its report takes the place of the estimate, in the check and in the same comment', async (_, fork) => {
    await using world = await blockedPullRequest({ fork })
    const { repository, pullRequest, bot } = world
    const [estimate] = await repository.comments(pullRequest)
    expect((await world.newestCheck())?.conclusion).toBe('failure')
    await repository.finishWorkflowRun(pullRequest, { headSha: pullRequest.headSha, artifact: measured })
    await bot.idle()

    expect(await world.newestCheck()).toMatchObject({ status: 'completed', conclusion: 'success' })
    const comments = await repository.comments(pullRequest)
    expect(comments.map(({ id }) => id)).toEqual([estimate?.id])
    expect(comments[0]?.body).not.toBe(estimate?.body)
  })

  test('is told on its own pull request, whatever its report says', async () => {
    await using world = await blockedPullRequest()
    const { repository, pullRequest, bot } = world
    const other = await repository.openPullRequest({ files: { 'configs/other.yaml': trainingConfig(16) } })
    await bot.idle()
    const [otherComment] = await repository.comments(other)
    const forged = { ...reportOf([fine({ path })]), pullRequest: other.number, headSha: other.headSha }
    await repository.finishWorkflowRun(pullRequest, { headSha: pullRequest.headSha, artifact: reportZip(forged) })
    await bot.idle()

    expect((await world.newestCheck())?.conclusion).toBe('success')
    expect((await world.newestCheck(other))?.conclusion).toBe('failure')
    expect((await repository.comments(other))[0]).toEqual(otherComment)
  })

  test.each([
    ['of another workflow', { path: '.github/workflows/test.yml' }],
    ['without a report', { artifactName: 'coverage' }],
    ['that looked at no config', { artifact: reportZip(reportOf([])) }],
  ])('%s changes nothing', async (_, run) => {
    await using world = await blockedPullRequest()
    const { repository, pullRequest, bot } = world
    const before = await world.newestCheck()
    await repository.finishWorkflowRun(pullRequest, { headSha: pullRequest.headSha, artifact: measured, ...run })
    await bot.idle()

    expect(await world.newestCheck()).toEqual(before)
  })

  test('of a commit that is no longer the newest changes nothing', async () => {
    await using world = await blockedPullRequest()
    const { repository, pullRequest, bot } = world
    const older = pullRequest.headSha
    await repository.pushTo(pullRequest, { [path]: trainingConfig(32) })
    await bot.idle()
    const [before] = await repository.comments(pullRequest)
    await repository.finishWorkflowRun(pullRequest, { headSha: older, artifact: measured })
    await bot.idle()

    expect((await repository.comments(pullRequest))[0]).toEqual(before)
    expect((await world.newestCheck())?.conclusion).toBe('failure')
  })
})

describe('a report that cannot be trusted leaves the verdict alone and a reason on the check', () => {
  const big = Buffer.concat([Buffer.from(measured), Buffer.alloc(6 * 2 ** 20)])
  test.each([
    ['no zip at all', { artifact: Buffer.from('hello') }, 'it is not a zip archive'],
    ['another schema', { artifact: reportZip({ hello: 1 }) }, 'its report does not follow the report schema'],
    ['a bomb', { artifact: bomb({ mib: 64, entry: 'memorymark-report.json', declaredBytes: 1_024 }) }, 'it is damaged'],
    [
      'a thousand files',
      { artifact: zipOf(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`${i}`, '']))) },
      'it contains more than 20 files',
    ],
    ['6 MiB', { artifact: big }, 'its archive is larger than 5 MiB'],
    ['6 MiB that claim to be 1 KiB', { artifact: big, claimedSizeBytes: 1_024 }, 'its archive is larger than 5 MiB'],
  ])('%s', async (_, run, why) => {
    await using world = await blockedPullRequest()
    const { repository, pullRequest, bot } = world
    const [comment] = await repository.comments(pullRequest)
    const before = await world.newestCheck()
    await repository.finishWorkflowRun(pullRequest, { headSha: pullRequest.headSha, ...run })
    await bot.idle()

    const after = await world.newestCheck()
    expect(after?.conclusion).toBe('failure')
    expect(after?.output.summary).toBe(
      `The report of the workflow run was not used: ${why}.\n\n${before?.output.summary}`,
    )
    expect((await repository.comments(pullRequest))[0]).toEqual(comment)
  })

  test('made by a workflow that the pull request itself changes', async () => {
    await using world = await blockedPullRequest({ files: { '.github/workflows/memorymark.yml': 'on: push\n' } })
    const { repository, pullRequest, bot } = world
    await repository.finishWorkflowRun(pullRequest, { headSha: pullRequest.headSha, artifact: measured })
    await bot.idle()

    const check = await world.newestCheck()
    expect(check?.conclusion).toBe('failure')
    expect(check?.output.summary).toMatch(
      /^The report of the workflow run was not used: this pull request changes the workflow/,
    )
  })

  test('where a webhook was lost and there is no check yet: beside the estimate, made then', async () => {
    await using world = await blockedPullRequest()
    const { repository, github, bot } = world
    github.failNext({ method: 'POST', path: /\/check-runs$/, status: 502, times: 1 })
    const other = await repository.openPullRequest({ files: { 'configs/other.yaml': trainingConfig(16) } })
    await bot.idle()
    await repository.finishWorkflowRun(other, { headSha: other.headSha, artifact: Buffer.from('hello') })
    await bot.idle()

    const check = await world.newestCheck(other)
    expect(check).toMatchObject({ status: 'completed', conclusion: 'failure' })
    expect(check?.output.summary).toMatch(/^The report of the workflow run was not used: it is not a zip archive\./)
  })
})

test('Markdown and mentions in an artifact are dead in the comment', async () => {
  await using world = await blockedPullRequest()
  const { repository, pullRequest, bot } = world
  const hostile = wasteful({ path, spec: { ...wasteful().spec, model: '@acme/team [x](https://evil.example)' } })
  await repository.finishWorkflowRun(pullRequest, {
    headSha: pullRequest.headSha,
    artifact: reportZip(reportOf([hostile])),
  })
  await bot.idle()

  const [comment] = await repository.comments(pullRequest)
  expect(withoutCode(comment?.body ?? '')).not.toMatch(/@acme|\]\(https:\/\/evil/)
})

/** GitHub mentions nobody and links nothing inside code spans. */
function withoutCode(markdown: string): string {
  return markdown.replace(/(`+)[^`][\s\S]*?\1/g, '')
}
