import { describe, expect, test } from 'vitest'
import { Asking } from './asking.ts'

const token = '0123456789abcdef0123456789abcdef'
const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

describe('without a token', () => {
  test.each(['localhost', 'localhost:5001', 'LOCALHOST:80'])('%s is this machine', async host => {
    await using asking = new Asking()
    expect((await asking.get('/models', { host })).status).toBe(200)
  })

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.nip.io',
    '10.0.0.1',
    '',
    'localhost@evil.example',
    '[::2]',
  ])('a page that calls this machine "%s" is refused', async host => {
    await using asking = new Asking()
    for (const path of ['/models', '/health', '/']) {
      expect(await asking.get(path, { host })).toMatchObject({
        status: 403,
        body: { problems: [{ code: 'other-host' }] },
      })
    }
  })
})

describe('with a token', () => {
  const access = { kind: 'token', token } as const

  test.each([
    ['Bearer', `Bearer ${token}`],
    ['bearer, in small letters', `bearer ${token}`],
    ['the password of any user, as browsers send it', basic('anyone', token)],
  ])('%s is let in', async (_, authorization) => {
    await using asking = new Asking({ access })
    expect((await asking.get('/models', { authorization, host: 'gpu.example' })).status).toBe(200)
  })

  test.each([
    ['nothing', {}],
    ['another token', { authorization: `Bearer ${token.replace('0', '1')}` }],
    ['the beginning of it', { authorization: `Bearer ${token.slice(0, -1)}` }],
    ['more than it', { authorization: `Bearer ${token}0` }],
    ['the token as user name', { authorization: basic(token, '') }],
    ['another scheme', { authorization: `Token ${token}` }],
    ['the bare token', { authorization: token }],
  ])('%s is refused with 401 and how to ask', async (_, headers: Record<string, string>) => {
    await using asking = new Asking({ access })
    for (const path of ['/models', '/', '/openapi.json', '/nothing']) {
      const answer = await asking.get(path, headers)
      expect(answer).toMatchObject({ status: 401, body: { problems: [{ code: 'token-needed' }] } })
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer .*Basic /)
    }
    expect((await asking.post('/v1/analyses', { model: 'bert' }, headers)).status).toBe(401)
  })

  test('a load balancer needs none for /health', async () => {
    await using asking = new Asking({ access })
    expect((await asking.get('/health')).status).toBe(200)
  })

  test('no answer repeats it', async () => {
    await using asking = new Asking({ access })
    const { body } = await asking.get(`/${token}`, { authorization: `Bearer ${token}` })
    expect(JSON.stringify(body)).not.toContain(token)
  })
})

describe('a page of another site', () => {
  const origin = 'https://dash.example.com'

  test('may start nothing, whatever it says that it sends', async () => {
    await using asking = new Asking()
    for (const from of [origin, 'null', 'http://localhost:1']) {
      const answer = await asking.post('/v1/analyses', { model: 'bert' }, { origin: from })
      expect(answer).toMatchObject({ status: 403, body: { problems: [{ code: 'other-origin' }] } })
    }
  })

  test('may not hide JSON in a form or a text', async () => {
    await using asking = new Asking()
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      expect((await asking.post('/v1/analyses', { model: 'bert' }, { 'content-type': type })).status).toBe(415)
    }
  })

  test('is told nothing by CORS, unless its origin is listed', async () => {
    await using asking = new Asking()
    expect((await asking.get('/models', { origin })).headers.get('access-control-allow-origin')).toBe(null)
    await using open = new Asking({ allowedOrigins: [origin] })
    expect((await open.get('/models', { origin })).headers.get('access-control-allow-origin')).toBe(origin)
    const other = await open.get('/models', { origin: 'https://other.example' })
    expect(other.headers.get('access-control-allow-origin')).toBe(null)
  })

  test('that is listed may ask', async () => {
    await using asking = new Asking({ allowedOrigins: [origin], engine: 'estimate' })
    expect((await asking.post('/v1/analyses', { model: 'bert' }, { origin })).status).toBe(202)
    const preflight = await asking.fetch('/v1/analyses', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin])
  })

  test('preflights are answered before a token is asked for, since browsers send none with them', async () => {
    await using asking = new Asking({ allowedOrigins: [origin], access: { kind: 'token', token } })
    const headers = { origin, 'access-control-request-method': 'POST' }
    expect((await asking.fetch('/v1/analyses', { method: 'OPTIONS', headers })).status).toBe(204)
  })
})

test('a page of this server itself may ask', async () => {
  await using asking = new Asking({ engine: 'estimate' })
  const headers = { host: 'localhost:5001', origin: 'http://localhost:5001' }
  expect((await asking.post('/v1/analyses', { model: 'bert' }, headers)).status).toBe(202)
})

test('every answer forbids framing, sniffing, and loading anything', async () => {
  await using asking = new Asking()
  for (const path of ['/', '/health', '/nothing']) {
    const { headers } = await asking.get(path)
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('same-origin')
  }
})
