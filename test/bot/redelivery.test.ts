import { describe, expect, test } from 'vitest'
import { createLog } from '../../bot/log.ts'
import { missedIn } from '../../bot/redelivery.ts'
import { readSettings } from '../../bot/settings.ts'
import { startBot } from '../../bot/start.ts'
import { freePort } from '../../scripts/demo/free-port.ts'
import { maintainer, startGitHub } from '../github/index.ts'
import { environmentFor, startBotBesideGitHub } from './bot-beside-github.ts'
import { judgeByMicroBatch, trainingConfig } from './configs.ts'
import { lendDatabase } from './databases.ts'

const nowhere = 'http://127.0.0.1:9/'

test('a command and a merge queue that nobody heard of are made good within the minute', async () => {
  await using beside = await startBotBesideGitHub({ analyze: judgeByMicroBatch, keepsHouse: false })
  const { github, bot } = beside
  const repository = await github.createRepository('models', { 'README.md': '# Models\n' })
  github.sendWebhooksTo(nowhere)
  const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(64) } })
  await repository.comment(pullRequest, '/memorymark help', maintainer)
  const queued = await repository.enqueue(pullRequest)
  github.sendWebhooksTo(bot.webhooksUrl)
  const round = async () => {
    await bot.send({ kind: 'redelivery' })
    await bot.idle()
    await github.settled()
    await bot.idle()
  }
  const calls = github.requests.length
  await round()

  expect(github.askedAgain.map(({ event }) => event)).toEqual(['pull_request', 'issue_comment', 'merge_group'])
  expect((await repository.checkRuns(pullRequest.headSha)).at(0)?.status).toBe('completed')
  expect((await repository.comments(pullRequest)).map(({ body }) => body).join('\n')).toContain('/memorymark snooze')
  if (queued.kind !== 'queued') throw new Error(queued.reason)
  expect((await repository.checkRuns(queued.group.head_sha)).at(0)?.conclusion).toBe('success')

  // Where nothing was lost, it is one call.
  const before = github.requests.length
  expect(before).toBeGreaterThan(calls)
  await round()
  expect(github.requests.slice(before).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /app/hook/deliveries?per_page=100',
  ])
})

test('the bot looks for what was lost every minute', async () => {
  await using database = await lendDatabase()
  await using _ = await startBotBesideGitHub({ analyze: judgeByMicroBatch, database })
  const scheduled = await database.query("SELECT cron FROM memorymark_queue.schedule WHERE key = 'redelivery'")
  expect(scheduled).toEqual([{ cron: '* * * * *' }])
})

test('when the bot starts it asks for what it missed, and once more where GitHub failed', async () => {
  await using github = await startGitHub({ webhooksUrl: nowhere })
  const repository = await github.createRepository('models', { 'README.md': '# Models\n' })
  const pullRequest = await repository.openPullRequest({ files: { 'README.md': '# Our models\n' } })
  await repository.comment(pullRequest, '/memorymark help', maintainer)
  // A read is tried three times before its job is.
  github.failNext({ method: 'GET', path: /^\/app\/hook\/deliveries$/, status: 502, times: 3 })
  const settings = readSettings({ ...(await environmentFor(github)), PORT: String(await freePort()) })
  github.sendWebhooksTo(`http://127.0.0.1:${settings.port}/api/github/webhooks`)
  await using bot = await startBot(settings, { log: createLog('silent') })
  await bot.idle()
  await github.settled()
  await bot.idle()

  expect((await repository.comments(pullRequest)).map(({ body }) => body).join('\n')).toContain('/memorymark snooze')
})

describe('of the attempts at webhooks', () => {
  const now = new Date('2026-11-21T12:00:00Z')
  const attempt = (id: number, guid: string, status_code: number, minutesAgo = 0, redelivery = false) => ({
    id,
    guid,
    status_code,
    redelivery,
    delivered_at: new Date(now.getTime() - minutesAgo * 60_000).toISOString(),
  })

  test('the newest at each one that nobody took is asked for again, the oldest webhook first', () => {
    const newestFirst = [
      attempt(5, 'b', 503, 1, true),
      attempt(4, 'a', 0),
      attempt(3, 'b', 0, 3),
      attempt(2, 'taken', 202),
    ]
    expect(missedIn(newestFirst, now)).toEqual([4, 5])
  })

  test('one that was taken once is not, whatever came before or after', () => {
    const attempts = [attempt(3, 'a', 503, 60, true), attempt(2, 'a', 202, 61, true), attempt(1, 'a', 0, 62)]
    expect(missedIn(attempts, now)).toEqual([])
  })

  test('each pause is twice the one before, and the eighth refusal is the last', () => {
    const refused = (count: number, minutesAgo: number) =>
      Array.from({ length: count }, (_, at) => attempt(count - at, 'a', 400, minutesAgo, at < count - 1))
    const isAskedFor = (count: number, minutesAgo: number) => missedIn(refused(count, minutesAgo), now).length === 1
    expect(isAskedFor(1, 0)).toBe(true)
    const pauses = [1, 2, 4, 8, 16, 32]
    for (const [index, pause] of pauses.entries()) {
      expect(isAskedFor(index + 2, pause - 0.1)).toBe(false)
      expect(isAskedFor(index + 2, pause)).toBe(true)
    }
    expect(isAskedFor(8, 1_000)).toBe(false)
  })

  test('one whose first is beyond the lookback is left alone, since nobody knows how many there were', () => {
    expect(missedIn([attempt(9, 'a', 503, 9, true)], now)).toEqual([])
  })
})
