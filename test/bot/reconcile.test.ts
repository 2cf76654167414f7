import { expect, test } from 'vitest'
import type { Job } from '../../bot/queue/jobs.ts'
import { memoryMarkApp } from '../github/index.ts'
import { fine, reportOf } from '../render/fixtures.ts'
import { startBotBesideGitHub } from './bot-beside-github.ts'
import { judgeByMicroBatch, trainingConfig } from './configs.ts'
import { reportZip } from './zips.ts'

const reconcile: Job = { kind: 'reconcile', scope: 'active' }
const nowhere = 'http://127.0.0.1:9/'

async function world() {
  const beside = await startBotBesideGitHub({ analyze: judgeByMicroBatch, keepsHouse: false })
  const repository = await beside.github.createRepository('models', { 'README.md': '# Models\n' })
  const webhooksAreLost = async (work: () => Promise<void>) => {
    beside.github.sendWebhooksTo(nowhere)
    await work().catch(() => {})
    beside.github.sendWebhooksTo(beside.bot.webhooksUrl)
  }
  const compare = async () => {
    await beside.bot.send(reconcile)
    await beside.bot.idle()
  }
  return { ...beside, repository, webhooksAreLost, compare, [Symbol.asyncDispose]: () => beside[Symbol.asyncDispose]() }
}

test('a pull request whose webhook was lost gets its check and comment', async () => {
  await using at = await world()
  await at.webhooksAreLost(async () => {
    await at.repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
  })
  const [pull] = await at.repository.pullRequests()
  if (pull === undefined) throw new Error('There is no pull request')
  expect(await at.repository.checkRuns(pull.head.sha)).toEqual([])
  await at.compare()

  expect((await at.repository.checkRuns(pull.head.sha)).at(0)?.conclusion).toBe('failure')
  expect(await at.repository.comments(pull)).toHaveLength(1)
})

test('a finished run whose webhook was lost has its report taken', async () => {
  await using at = await world()
  const pull = await at.repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
  await at.bot.idle()
  const artifact = reportZip(reportOf([fine({ path: 'configs/bert.yaml', provenance: 'measured' })]))
  await at.webhooksAreLost(async () => {
    await at.repository.finishWorkflowRun(pull, { headSha: pull.headSha, artifact })
  })
  await at.compare()

  expect((await at.repository.checkRuns(pull.headSha)).at(-1)?.conclusion).toBe('success')
})

test('what is up to date is not written again', async () => {
  await using at = await world()
  await at.repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
  await at.bot.idle()
  const writes = () =>
    at.github.requests.filter(
      ({ method, app, path }) => method !== 'GET' && app === memoryMarkApp.slug && path.startsWith('/repos/'),
    )
  const before = writes().length
  await at.compare()
  expect(writes()).toHaveLength(before)
})
