import { expect, test } from 'vitest'
import { memoryMarkApp } from '../github/index.ts'
import { startBotBesideGitHub } from './bot-beside-github.ts'
import { judgeByMicroBatch, trainingConfig } from './configs.ts'

test('a webhook with a wrong signature is answered 401, and nothing of its payload is logged', async () => {
  await using beside = await startBotBesideGitHub({ analyze: judgeByMicroBatch })
  const before = beside.github.requests.length
  const response = await fetch(beside.bot.webhooksUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-delivery': 'forged',
      'x-github-event': 'pull_request',
      'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
    },
    body: JSON.stringify({ action: 'opened', note: 'content-of-the-payload' }),
  })

  expect(response.status).toBe(401)
  expect(beside.log()).toContain('signature does not match')
  expect(beside.log()).not.toContain('content-of-the-payload')
  await beside.bot.idle()
  expect(beside.github.requests).toHaveLength(before)
})

test('a webhook is acknowledged before it is worked on', async () => {
  const release = Promise.withResolvers<void>()
  const analyze: typeof judgeByMicroBatch = async files => {
    await release.promise
    return judgeByMicroBatch(files)
  }
  await using beside = await startBotBesideGitHub({ analyze })
  const repository = await beside.github.createRepository('models', { 'README.md': '# Models\n' })
  await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
  const statuses = [...(beside.github.deliveries[0]?.statuses ?? [])]
  release.resolve()

  expect(statuses).toEqual([202])
})

test('a webhook that is delivered again is acknowledged and not worked on twice', async () => {
  await using beside = await startBotBesideGitHub({ analyze: judgeByMicroBatch })
  const { github, bot } = beside
  const repository = await github.createRepository('models', { 'README.md': '# Models\n' })
  const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
  await bot.idle()
  const calls = github.requests.filter(({ app }) => app === memoryMarkApp.slug).length
  const [delivery] = github.deliveries
  if (delivery === undefined) throw new Error('No webhook was sent')
  await github.redeliver(delivery)
  await bot.idle()

  expect(delivery.statuses).toEqual([202, 202])
  expect(github.requests.filter(({ app }) => app === memoryMarkApp.slug)).toHaveLength(calls)
  expect(await repository.comments(pullRequest)).toHaveLength(1)
})

test('GET /health answers', async () => {
  await using beside = await startBotBesideGitHub({ analyze: judgeByMicroBatch })
  const response = await fetch(beside.bot.healthUrl)
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
})

test('every request to GitHub pins the version of the API', async () => {
  await using beside = await startBotBesideGitHub({ analyze: judgeByMicroBatch })
  const repository = await beside.github.createRepository('models', { 'README.md': '# Models\n' })
  await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
  await beside.bot.idle()

  const versions = beside.github.requests
    .filter(({ app }) => app === memoryMarkApp.slug)
    .map(({ apiVersion }) => apiVersion)
  expect(new Set(versions)).toEqual(new Set(['2022-11-28']))
})

test('a secondary rate limit is waited out as long as GitHub asks', async () => {
  await using beside = await startBotBesideGitHub({ analyze: judgeByMicroBatch })
  const { github, bot } = beside
  github.failNext({ method: 'POST', path: /\/check-runs$/, status: 403, retryAfterSeconds: 1, times: 1 })
  const repository = await github.createRepository('models', { 'README.md': '# Models\n' })
  const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(128) } })
  await bot.idle()

  expect((await repository.checkRuns(pullRequest.headSha)).at(0)?.conclusion).toBe('success')
})
