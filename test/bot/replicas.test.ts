/** Two bots on one PostgreSQL, beside one GitHub. */
import { describe, expect, test } from 'vitest'
import { createLog } from '../../bot/log.ts'
import { readSettings } from '../../bot/settings.ts'
import { startBot } from '../../bot/start.ts'
import { hasPostgres, PostgresCluster } from '../../scripts/chaos/cluster.ts'
import { memoryMarkApp, startGitHub } from '../github/index.ts'
import { environmentFor } from './bot-beside-github.ts'
import { judgeByMicroBatch, trainingConfig } from './configs.ts'

async function twoBots() {
  const cluster = await PostgresCluster.start()
  const github = await startGitHub()
  const settings = readSettings({ ...(await environmentFor(github)), DATABASE_URL: cluster.url })
  const start = () => startBot(settings, { log: createLog('silent'), analyze: judgeByMicroBatch })
  const [one, other] = await Promise.all([start(), start()])
  await one.idle()
  return {
    github,
    one,
    other,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([one.stop(), other.stop()])
      await github[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
    },
  }
}

describe.skipIf(!hasPostgres)('two replicas on PostgreSQL', () => {
  test('start at once on an empty database, and handle the same delivery once', async () => {
    await using at = await twoBots()
    at.github.sendWebhooksTo(at.one.webhooksUrl)
    const repository = await at.github.createRepository('models', { 'README.md': '# Models\n' })
    const pull = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
    const [delivery] = at.github.deliveries
    if (delivery === undefined) throw new Error('No webhook was sent')
    at.github.sendWebhooksTo(at.other.webhooksUrl)
    await at.github.redeliver(delivery)
    await at.one.idle()

    expect(delivery.statuses).toEqual([202, 202])
    expect(await repository.checkRuns(pull.headSha)).toHaveLength(1)
    expect(await repository.comments(pull)).toHaveLength(1)
    const reads = at.github.requests.filter(
      ({ path, app }) => app === memoryMarkApp.slug && path.endsWith(`/pulls/${pull.number}`),
    )
    // Once to look at it, and once before the comment.
    expect(reads).toHaveLength(2)
  })

  test('share the work on many pull requests, and none is told twice', async () => {
    await using at = await twoBots()
    at.github.sendWebhooksTo(at.one.webhooksUrl)
    const repository = await at.github.createRepository('models', { 'README.md': '# Models\n' })
    const pulls = []
    for (let number = 0; number < 12; number += 1) {
      pulls.push(await repository.openPullRequest({ files: { [`configs/${number}.yaml`]: trainingConfig(16) } }))
      at.github.sendWebhooksTo(number % 2 === 0 ? at.other.webhooksUrl : at.one.webhooksUrl)
    }
    await at.one.idle()
    for (const pull of pulls) {
      expect((await repository.checkRuns(pull.headSha)).map(({ conclusion }) => conclusion)).toEqual(['failure'])
      expect(await repository.comments(pull)).toHaveLength(1)
    }
  })
})
