/** A database server that neither answers nor breaks its connections. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../bot/store/database.ts'
import { openDatabase } from '../../bot/store/open.ts'
import { hasPostgres, PostgresCluster } from '../../scripts/chaos/cluster.ts'
import { startBotBesideGitHub } from './bot-beside-github.ts'
import { judgeByMicroBatch, trainingConfig } from './configs.ts'

describe.skipIf(!hasPostgres)('while PostgreSQL is frozen', () => {
  let cluster: PostgresCluster
  let database: Database

  beforeAll(async () => {
    cluster = await PostgresCluster.start()
    database = await openDatabase({ kind: 'server', url: cluster.url }, () => {})
  })
  afterAll(async () => {
    await database[Symbol.asyncDispose]()
    await cluster[Symbol.asyncDispose]()
  })

  test('the bot says so wherever it is asked, and afterwards does the work that came before', async () => {
    const release = Promise.withResolvers<void>()
    const analyze: typeof judgeByMicroBatch = async files => {
      await release.promise
      return judgeByMicroBatch(files)
    }
    await using beside = await startBotBesideGitHub({ analyze, database })
    const { bot, github } = beside
    const repository = await github.createRepository('models', { 'README.md': '# Models\n' })
    const pull = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(16) } })
    const ask = async (path: string) =>
      (await fetch(`${bot.origin}${path}`, { signal: AbortSignal.timeout(20_000) })).status

    await cluster.freeze()
    try {
      release.resolve()
      // Far more than there are connections to the database.
      expect(new Set(await Promise.all(Array.from({ length: 60 }, () => ask('/ready'))))).toEqual(new Set([503]))
      expect(await Promise.all([ask('/health'), ask('/ready'), ask('/metrics')])).toEqual([200, 503, 503])
      const late = await repository.openPullRequest({ files: { 'configs/late.yaml': trainingConfig(16) } })
      expect(github.deliveries.at(-1)?.statuses).toEqual([503])
      await cluster.thaw()

      await expect.poll(() => ask('/ready')).toBe(200)
      // A webhook that was refused is asked for again each minute, and what failed waits before it is tried again.
      const commentsOn = ({ number }: typeof late) => repository.comments({ ...pull, number })
      for (const each of [pull, late]) {
        await expect.poll(() => commentsOn(each), { timeout: 300_000 }).not.toHaveLength(0)
      }
      await bot.idle()
      for (const each of [pull, late]) expect(await commentsOn(each)).toHaveLength(1)
      expect(await ask('/metrics')).toBe(200)
    } finally {
      await cluster.thaw()
    }
  })
})
