import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepHouse } from '../../bot/housekeeping.ts'
import { connectGitHubApp, type GitHubApp } from '../../bot/installation.ts'
import { createLog } from '../../bot/log.ts'
import { Queue } from '../../bot/queue/queue.ts'
import { keepAcceptance } from '../../bot/store/acceptances.ts'
import type { Database } from '../../bot/store/database.ts'
import { type EmulatedGitHub, memoryMarkApp, startGitHub } from '../github/index.ts'
import { lendDatabase } from './databases.ts'

let github: EmulatedGitHub
let database: Database
let queue: Queue
let app: GitHubApp

beforeAll(async () => {
  github = await startGitHub()
  database = await lendDatabase()
  const onError = (error: Error) => {
    throw error
  }
  queue = await Queue.start({ database, onError })
  app = await connectGitHubApp({
    appId: github.app.id,
    privateKey: github.app.privateKey,
    webhookSecret: github.app.webhookSecret,
    apiUrl: github.url,
    log: createLog('silent'),
    onCall: () => {},
  })
})
afterAll(async () => {
  await queue.stop()
  await database[Symbol.asyncDispose]()
  await github[Symbol.asyncDispose]()
})

const present = memoryMarkApp.installations.acme ?? 0
const gone = 999_999

const house = (now: string) =>
  keepHouse({
    app,
    database,
    queue,
    log: createLog('silent'),
    signal: new AbortController().signal,
    keepDays: 365,
    graceDays: 7,
    now: new Date(now),
  })

async function keptOf(installationId: number): Promise<number> {
  const rows = await database.query('SELECT 1 FROM memorymark.acceptances WHERE installation_id = $1', [installationId])
  return rows.length
}

test('who has left is noticed without a webhook, and all of it deleted when the grace is over', async () => {
  for (const installationId of [present, gone]) {
    const key = { installationId, repositoryId: installationId, pullNumber: 7 }
    const acceptance = { commentId: installationId, by: 'mona', reason: 'shared', configs: [], at: new Date() }
    await keepAcceptance(database, key, acceptance)
  }
  await queue.repeat(
    { kind: 'survey', installationId: gone, repositoryId: 5, owner: 'left', repo: 'models', isReportDue: true },
    '0 6 * * 1',
  )
  await house('2026-11-20T03:00:00Z')
  expect([await keptOf(present), await keptOf(gone)]).toEqual([1, 1])
  await house('2026-11-27T02:59:00Z')
  expect(await keptOf(gone)).toBe(1)
  await house('2026-11-27T03:01:00Z')
  expect([await keptOf(present), await keptOf(gone)]).toEqual([1, 0])
  expect(await database.query('SELECT key FROM memorymark_queue.schedule WHERE key LIKE $1', ['5/%'])).toEqual([])
})

test('every repository’s schedule is looked after', async () => {
  await github.createRepository('models', { 'README.md': '# Models\n' })
  await house('2026-11-28T03:00:00Z')
  const jobs = await database.query(
    `SELECT data->>'repo' AS repo FROM memorymark_queue.job WHERE data->>'kind' = 'schedule' ORDER BY 1`,
  )
  expect(jobs).toEqual([{ repo: 'models' }])
})
