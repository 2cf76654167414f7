/** The REST API and the pages on the bot's own server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../bot/log.ts'
import { readSettings } from '../../bot/settings.ts'
import { type RunningBot, startBot } from '../../bot/start.ts'
import type { Database } from '../../bot/store/database.ts'
import { type EmulatedGitHub, startGitHub } from '../github/index.ts'
import { environmentFor } from './bot-beside-github.ts'
import { lendDatabase } from './databases.ts'

const token = '0123456789abcdef0123456789abcdef'
const authorization = `Bearer ${token}`

let github: EmulatedGitHub
let database: Database
beforeAll(async () => {
  github = await startGitHub()
  database = await lendDatabase()
})
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await github[Symbol.asyncDispose]()
})

async function startedWith(environment: Record<string, string>): Promise<RunningBot> {
  const settings = readSettings({ ...(await environmentFor(github)), ...environment })
  return startBot(settings, { database, log: createLog('silent') })
}

describe('with MEMORYMARK_API_TOKEN the bot', () => {
  test('tells of its repositories, to whoever has the token', async () => {
    await using bot = await startedWith({ MEMORYMARK_API_TOKEN: token })
    const repositories = await fetch(`${bot.origin}/v1/repositories`, { headers: { authorization } })
    expect([repositories.status, await repositories.json()]).toEqual([200, { items: [] }])
    expect((await fetch(`${bot.origin}/v1/repositories`)).status).toBe(401)
    const forged = await fetch(`${bot.origin}/v1/repositories?cursor=forged`, { headers: { authorization } })
    expect([forged.status, await forged.json()]).toMatchObject([400, { problems: [{ code: 'cursor-unreadable' }] }])
  })

  test('estimates, and sweeps on no GPU', async () => {
    await using bot = await startedWith({ MEMORYMARK_API_TOKEN: token, MEMORYMARK_GPU: 'l4' })
    const analyze = (body: object) =>
      fetch(`${bot.origin}/analyze`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const done = await analyze({ model_name: 'bert' })
    expect([done.status, await done.json()]).toMatchObject([
      200,
      { data: { gpu_name: 'NVIDIA L4', engine: 'estimate' } },
    ])
    expect((await analyze({ model_name: 'bert', engine: 'torch' })).status).toBe(400)
  })

  test('shows browsers the page', async () => {
    await using bot = await startedWith({ MEMORYMARK_API_TOKEN: token })
    const page = await fetch(bot.origin, { headers: { authorization, accept: 'text/html' } })
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    expect(await page.text()).toContain('<title>')
  })

  test('ends although somebody does not read an answer', async () => {
    const bot = await startedWith({ MEMORYMARK_API_TOKEN: token })
    const unread = await fetch(bot.origin, { headers: { authorization, accept: 'text/html' } })
    await bot.stop()
    expect(unread.bodyUsed).toBe(false)
  })

  test('keeps its own routes', async () => {
    await using bot = await startedWith({ MEMORYMARK_API_TOKEN: token })
    expect(await (await fetch(bot.healthUrl)).json()).toEqual({ status: 'ok' })
    expect((await fetch(`${bot.origin}/metrics`)).status).toBe(200)
    expect((await fetch(bot.webhooksUrl, { method: 'POST', body: '{}' })).status).toBeLessThan(500)
  })
})

test('without a token there is no API', async () => {
  await using bot = await startedWith({})
  for (const path of ['/', '/models', '/v1/repositories', '/openapi.json']) {
    expect((await fetch(`${bot.origin}${path}`, { headers: { authorization } })).status).toBe(404)
  }
})

test.each(['short', 'with a space in the middle of it'])('the token "%s" is refused at the start', async weak => {
  const environment = { ...(await environmentFor(github)), MEMORYMARK_API_TOKEN: weak }
  expect(() => readSettings(environment)).toThrow(/MEMORYMARK_API_TOKEN/)
})
