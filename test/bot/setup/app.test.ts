/** The routes of the setup, and who may use them. */
import { describe, expect, test } from 'vitest'
import { type SetupOptions, setupApp } from '../../../bot/setup/app.ts'
import { MemoryMarkError } from '../../../engine/base/errors.ts'

const created = {
  credentials: { appId: 7, privateKey: 'key', webhookSecret: 'a secret of our own' },
  slug: 'memorymark-acme',
  url: 'https://github.com/apps/memorymark-acme',
}

function setup(options: Partial<SetupOptions> = {}) {
  const codes: string[] = []
  const kept: unknown[] = []
  let nowMillis = 0
  const { app, path } = setupApp({
    apiUrl: 'https://api.github.com',
    file: '/data/memorymark-app.env',
    now: () => new Date(nowMillis),
    fetchApp: async code => {
      codes.push(code)
      return created
    },
    keep: async app => {
      kept.push(app)
    },
    ...options,
  })
  const get = (target: string, headers: Readonly<Record<string, string>> = {}) =>
    app.request(target, { headers: { host: 'bot.example.com', ...headers } })
  return { path, codes, kept, get, pass: (millis: number) => (nowMillis += millis) }
}

async function stateOn(page: Response): Promise<string> {
  const state = /settings\/apps\/new\?state=([\w-]+)"/.exec(await page.text())?.[1]
  if (state === undefined) throw new Error('The page has no state')
  return state
}

describe('the page', () => {
  test('asks for the token', async () => {
    const { get } = setup()
    for (const path of ['/setup', '/setup?token=', '/setup?token=guessed']) {
      const answer = await get(path)
      expect(answer.status).toBe(403)
      expect(await answer.text()).not.toContain('<form')
    }
  })

  test('sends webhooks and the browser to the address under which it was opened', async () => {
    const { get, path } = setup()
    const text = await (await get(path, { 'x-forwarded-proto': 'https' })).text()
    expect(text).toContain('https://bot.example.com/api/github/webhooks')
    expect(text).toContain('&quot;redirect_url&quot;:&quot;https://bot.example.com/setup/created&quot;')
  })

  test.each([
    ['bot.example.com:443', 'https://bot.example.com/api'],
    ['10.0.0.7:3000', 'https://10.0.0.7:3000/api'],
    ['[::1]:3000', 'https://[::1]:3000/api'],
  ])('is made for the host %s', async (host, address) => {
    const { get, path } = setup()
    expect(await (await get(path, { host, 'x-forwarded-proto': 'https' })).text()).toContain(address)
  })

  test.each(['bot.example.com/evil', 'a"><script>', 'user@bot.example.com', ''])(
    'is not made for the host %j',
    async host => {
      const { get, path } = setup()
      expect((await get(path, { host })).status).toBe(400)
    },
  )

  test('goes to the page of the organization that is named', async () => {
    const { get, path } = setup()
    expect(await (await get(path)).text()).toContain('action="https://github.com/settings/apps/new?')
    expect(await (await get(`${path}&organization=acme`)).text()).toContain(
      'action="https://github.com/organizations/acme/settings/apps/new?',
    )
    expect((await get(`${path}&organization=..%2F..`)).status).toBe(400)
  })

  test('runs nothing, is framed by nobody, and tells nobody its token', async () => {
    const { get, path } = setup()
    const { headers } = await get(path)
    const policy = headers.get('content-security-policy')
    expect(headers.get('referrer-policy')).toBe('strict-origin')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
  })
})

describe('the way back', () => {
  test('keeps the App and leads to its installation', async () => {
    const { get, path, codes, kept } = setup()
    const answer = await get(`/setup/created?code=abc&state=${await stateOn(await get(path))}`)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('href="https://github.com/apps/memorymark-acme/installations/new"')
    expect({ codes, kept }).toEqual({ codes: ['abc'], kept: [created] })
  })

  test('is refused with a state that the page did not give, or none', async () => {
    const { get, codes } = setup()
    for (const query of ['code=abc', 'code=abc&state=', 'code=abc&state=guessed']) {
      expect((await get(`/setup/created?${query}`)).status).toBe(403)
    }
    expect(codes).toEqual([])
  })

  test('is gone once and no more', async () => {
    const { get, path, codes } = setup()
    const state = await stateOn(await get(path))
    await get(`/setup/created?code=first&state=${state}`)
    expect((await get(`/setup/created?code=second&state=${state}`)).status).toBe(403)
    expect(codes).toEqual(['first'])
  })

  test('is closed for other pages once there is an App, and the link with it', async () => {
    const { get, path, codes } = setup()
    const [state, another] = [await stateOn(await get(path)), await stateOn(await get(path))]
    await get(`/setup/created?code=first&state=${state}`)
    expect((await get(`/setup/created?code=second&state=${another}`)).status).toBe(403)
    const answer = await get(path)
    expect({ status: answer.status, form: (await answer.text()).includes('<form') }).toEqual({
      status: 403,
      form: false,
    })
    expect(codes).toEqual(['first'])
  })

  test('is open for an hour', async () => {
    const { get, path, pass } = setup()
    const state = await stateOn(await get(path))
    pass(3_600_000)
    expect((await get(`/setup/created?code=abc&state=${state}`)).status).toBe(403)
  })

  test('takes no code that is a path', async () => {
    const { get, path, codes } = setup()
    const state = await stateOn(await get(path))
    expect((await get(`/setup/created?code=..%2F..%2Fuser&state=${state}`)).status).toBe(400)
    expect(codes).toEqual([])
  })

  test('leads to no other site, whatever the answer says', async () => {
    const { get, path } = setup({
      fetchApp: async () => ({ ...created, url: 'https://github.com.evil.example/apps/x' }),
    })
    const answer = await get(`/setup/created?code=abc&state=${await stateOn(await get(path))}`)
    expect(await answer.text()).not.toContain('evil.example')
  })

  test('says what went wrong', async () => {
    const problem = { code: 'app-not-fetched', message: 'GitHub <b>refused</b>', fix: 'Begin again.' }
    const { get, path } = setup({ fetchApp: () => Promise.reject(new MemoryMarkError(problem)) })
    const answer = await get(`/setup/created?code=abc&state=${await stateOn(await get(path))}`)
    expect(answer.status).toBe(502)
    expect(await answer.text()).toContain('GitHub &lt;b&gt;refused&lt;/b&gt;')
  })

  test('many open pages do not grow without end, and the newest counts', async () => {
    const { get, path } = setup()
    const first = await stateOn(await get(path))
    let last = first
    for (let opened = 0; opened < 20; opened += 1) last = await stateOn(await get(path))
    expect((await get(`/setup/created?code=abc&state=${first}`)).status).toBe(403)
    expect((await get(`/setup/created?code=abc&state=${last}`)).status).toBe(200)
  })
})

test('meanwhile the process is up, and not ready', async () => {
  const { get } = setup()
  expect((await get('/health')).status).toBe(200)
  expect((await get('/ready')).status).toBe(503)
})
