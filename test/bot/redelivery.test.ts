import { describe, expect, test } from 'vitest'
import { connectGitHubApp } from '../../bot/installation.ts'
import { createLog } from '../../bot/log.ts'
import { missedIn, redeliverMissed } from '../../bot/redelivery.ts'
import { readSettings } from '../../bot/settings.ts'
import { startBot } from '../../bot/start.ts'
import { freePort } from '../../scripts/demo/free-port.ts'
import { maintainer, startGitHub } from '../github/index.ts'
import { environmentFor, startBotBesideGitHub } from './bot-beside-github.ts'
import { judgeByMicroBatch, trainingConfig } from './configs.ts'

const nowhere = 'http://127.0.0.1:9/'

test('a command and a merge queue that nobody heard of are made good', async () => {
  await using beside = await startBotBesideGitHub({ analyze: judgeByMicroBatch })
  const { github, bot } = beside
  const repository = await github.createRepository('models', { 'README.md': '# Models\n' })
  github.sendWebhooksTo(nowhere)
  const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': trainingConfig(64) } })
  await repository.comment(pullRequest, '/memorymark help', maintainer)
  const queued = await repository.enqueue(pullRequest)
  github.sendWebhooksTo(bot.webhooksUrl)
  const { id: appId, privateKey, webhookSecret } = github.app
  const app = await connectGitHubApp({
    appId,
    privateKey,
    webhookSecret,
    apiUrl: github.url,
    log: createLog('silent'),
    onCall: () => {},
  })

  expect(await redeliverMissed(await app.asApp(), new Date(0))).toBe(3)
  await github.settled()
  await bot.idle()
  expect(github.askedAgain.map(({ event }) => event)).toEqual(['pull_request', 'issue_comment', 'merge_group'])
  expect((await repository.checkRuns(pullRequest.headSha)).at(0)?.status).toBe('completed')
  expect((await repository.comments(pullRequest)).map(({ body }) => body).join('\n')).toContain('/memorymark snooze')
  if (queued.kind !== 'queued') throw new Error(queued.reason)
  expect((await repository.checkRuns(queued.group.head_sha)).at(0)?.conclusion).toBe('success')
  expect(await redeliverMissed(await app.asApp(), new Date(0))).toBe(0)
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
  const attempt = (id: number, guid: string, status_code: number) => ({
    id,
    guid,
    status_code,
    delivered_at: '2026-11-21T00:00:00Z',
  })

  test('the newest at each one that nobody took is asked for again, the oldest webhook first', () => {
    const newestFirst = [attempt(5, 'b', 503), attempt(4, 'a', 0), attempt(3, 'b', 0), attempt(2, 'taken', 202)]
    expect(missedIn(newestFirst)).toEqual([4, 5])
  })

  test('one that was taken once is not, whatever came before or after', () => {
    expect(missedIn([attempt(3, 'a', 503), attempt(2, 'a', 202), attempt(1, 'a', 0)])).toEqual([])
  })

  test('the fifth refusal is the last', () => {
    const refused = (count: number) => Array.from({ length: count }, (_, id) => attempt(id, 'a', 400))
    expect(missedIn(refused(4))).toEqual([0])
    expect(missedIn(refused(5))).toEqual([])
  })
})
