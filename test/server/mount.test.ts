import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mount } from '../../server/mount.ts'

const token = '0123456789abcdef0123456789abcdef'
const authorization = `Bearer ${token}`

/** The host, which answers 418 for what the mounted server leaves to it. */
let host: Server
let url: string
const logged: string[] = []
const mounted = mount({
  token,
  log: text => logged.push(text),
  pages: () =>
    new Hono().get('/', context => context.html('<h1>Analyse</h1>')).get('/assets/:name', c => c.text('asset')),
})

beforeAll(async () => {
  host = createServer(async (request, response) => {
    if (!(await mounted.handle(request, response))) response.writeHead(418).end()
  })
  await once(host.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
})
afterAll(async () => {
  await mounted[Symbol.asyncDispose]()
  host.close()
  host.closeAllConnections()
})

describe('inside another server', () => {
  test.each(['/api/github/webhooks', '/metrics', '/health', '/ready', '/v1', '/v1/other', '/analyzed'])(
    '%s is left to it',
    async path => {
      expect((await fetch(`${url}${path}`, { headers: { authorization } })).status).toBe(418)
    },
  )

  test.each([
    '/',
    '/models',
    '/v1/repositories',
    '/v1/analyses/x',
    '/v1/analyses/x/events',
    '/openapi.json',
    '/assets/a.js',
  ])('%s is answered, and only with the token', async path => {
    expect((await fetch(`${url}${path}`, { headers: { authorization } })).status).not.toBe(418)
    expect((await fetch(`${url}${path}`)).status).toBe(401)
  })

  test('a wrong method of its own is its own to refuse', async () => {
    expect((await fetch(`${url}/analyze`, { headers: { authorization } })).status).toBe(405)
  })

  test('analyses are estimates, and no sweep is run', async () => {
    const ask = (body: object) =>
      fetch(`${url}/analyze`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const done = await ask({ model_name: 'bert' })
    expect([done.status, await done.json()]).toMatchObject([
      200,
      { data: { engine: 'estimate', provenance: 'estimated' } },
    ])
    expect((await ask({ model_name: 'bert', engine: 'trace' })).status).toBe(400)
  })

  test('a browser gets the page, a program what there is', async () => {
    const page = await fetch(url, { headers: { authorization, accept: 'text/html,*/*;q=0.8' } })
    expect(await page.text()).toBe('<h1>Analyse</h1>')
    const told = await fetch(url, { headers: { authorization } })
    expect(await told.json()).toMatchObject({ name: 'MemoryMark' })
  })
})
