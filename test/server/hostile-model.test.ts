import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { Asking, stateOf } from './asking.ts'

/** A Hub on this machine, whose models anybody may have made up. */
const hub = createServer((request, response) => {
  const layers = request.url?.startsWith('/acme/endless/') ? 10_000_000 : 2
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ model_type: 'bert', num_hidden_layers: layers }))
})
let cache: string

beforeAll(async () => {
  await once(hub.listen(0, '127.0.0.1'), 'listening')
  cache = await mkdtemp(path.join(tmpdir(), 'memorymark-cache-'))
  vi.stubEnv('HF_ENDPOINT', `http://127.0.0.1:${(hub.address() as AddressInfo).port}`)
  vi.stubEnv('HF_HUB_OFFLINE', '')
  vi.stubEnv('XDG_CACHE_HOME', cache)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  hub.close()
  await rm(cache, { recursive: true })
})

let asking: Asking
afterEach(() => asking[Symbol.asyncDispose]())

test('a model from the Hub is analysed by its config.json', async () => {
  asking = new Asking({ engine: 'estimate' })
  const { id } = await asking.submit({ model: 'acme/small', gpu: 'a10' })
  const [config] = stateOf(await asking.ended(id), 'done').report.configs
  expect(config).toMatchObject({ path: 'acme/small', status: 'analysed' })
})

test('a server that asks no Hub knows only the catalogue', async () => {
  asking = new Asking({ engine: 'estimate', asksHub: false })
  const { id } = await asking.submit({ model: 'acme/small', gpu: 'a10' })
  expect(stateOf(await asking.ended(id), 'failed').problems.map(({ code }) => code)).toEqual(['unknown-model'])
})

test('a model of ten million layers is refused by its figure, and costs nothing else', async () => {
  const limits = { queue: { running: 1, waiting: 5 }, timeoutMillis: 2_000, retryAfterSeconds: 1 }
  asking = new Asking({ engine: 'estimate', limits: { estimate: limits } })
  const endless = await asking.submit({ model: 'acme/endless', gpu: 'a10' })
  expect((await asking.get('/health')).status).toBe(200)
  const { problems } = stateOf(await asking.ended(endless.id), 'failed')
  expect(problems).toMatchObject([{ code: 'unusable-model-config', message: expect.stringContaining('10000000') }])

  const { id } = await asking.submit({ model: 'bert', gpu: 'a10' })
  expect((await asking.ended(id)).state).toBe('done')
})
