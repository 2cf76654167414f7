import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { defaultGpu } from '../../engine/gpus/catalogue.ts'
import { MAX_BODY_BYTES } from '../../server/app.ts'
import { type ListenOptions, listen } from '../../server/listen.ts'
import { eventsIn } from './asking.ts'
import { isAlive, SilentPython } from './silent-python.ts'

const token = '0123456789abcdef0123456789abcdef'

function options(changes: Partial<ListenOptions> = {}): ListenOptions {
  return {
    host: '127.0.0.1',
    port: 0,
    gpu: defaultGpu,
    engine: 'estimate',
    python: '/nowhere/python',
    log: () => {},
    ...changes,
  }
}

/** What comes back over a bare connection until the server closes it. */
async function raw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.setEncoding('utf8').on('data', chunk => {
    answer += chunk
  })
  socket.write(text)
  await once(socket, 'close')
  return answer
}

describe('where it listens', () => {
  test.each(['0.0.0.0', '::', '192.0.2.1', 'gpu.example', '127.evil.example'])('%s needs a token', async host => {
    await expect(listen(options({ host }))).rejects.toThrow(/^--host: others can reach .* Set MEMORYMARK_API_TOKEN/)
  })

  test.each(['127.0.0.1', 'localhost', '127.0.0.2'])('%s needs none', async host => {
    await using server = await listen(options({ host }))
    expect((await fetch(`${server.url}/models`)).status).toBe(200)
  })

  test('with a token others may be let in, and whoever lacks it is not', async () => {
    await using server = await listen(options({ host: '0.0.0.0', token }))
    const url = server.url.replace('0.0.0.0', '127.0.0.1')
    expect((await fetch(`${url}/models`)).status).toBe(401)
    expect((await fetch(`${url}/models`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
  })

  test.each(['short', 'with spaces in the middle of it', ''])('the token "%s" is refused', async weak => {
    await expect(listen(options({ token: weak }))).rejects.toThrow(/MEMORYMARK_API_TOKEN.*openssl rand/)
  })

  test('a port that is taken is told by name', async () => {
    await using server = await listen(options())
    const port = Number(new URL(server.url).port)
    await expect(listen(options({ port }))).rejects.toThrow(`--port: port ${port} is in use by another program`)
  })

  test('an address that this machine has not is told by name', async () => {
    await expect(listen(options({ host: '192.0.2.1', token }))).rejects.toThrow(/cannot listen on 192\.0\.2\.1/)
  })
})

describe('what is no proper request', () => {
  test('a body that is too large is refused with 413, announced or not', async () => {
    await using server = await listen(options())
    const body = 'x'.repeat(MAX_BODY_BYTES + 1)
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(`${server.url}/analyze`, { method: 'POST', headers, body })).status).toBe(413)
    const chunk = 'x'.repeat(65_536)
    const chunks = `10000\r\n${chunk}\r\n`.repeat(11)
    const head = 'POST /analyze HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n'
    expect(await raw(server.url, `${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 413 /,
    )
  })

  test.each([
    [
      'a body that does not come',
      'POST /analyze HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
    ],
    ['headers without an end', 'GET /health HTTP/1.1\r\nHost: localhost\r\n'],
  ])('%s is given up with 408', async (_, text) => {
    await using server = await listen(options({ requestTimeoutMillis: 200 }))
    expect(await raw(server.url, text)).toMatch(/^HTTP\/1\.1 408 /)
  })

  test.each([
    ['no HTTP', 'HELO there\r\n\r\n', 400],
    ['no host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    [
      'two lengths',
      'POST /analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      400,
    ],
    [
      'a length and chunks',
      'POST /analyze HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['headers without measure', `GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a host that is no name', 'GET /health HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
    ['another host', 'GET /health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n', 403],
    ['another server', 'GET http://evil.example/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 403],
    ['a path upwards', 'GET /v1/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 404],
    [
      'a path upwards, encoded',
      'GET /v1/%2e%2e%2f%2e%2e%2fetc%2fpasswd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      404,
    ],
    ['a broken escape', 'GET /v1/analyses/%E0%A4%A HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 404],
    ['a null byte', 'GET /v1/analyses/%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 404],
  ])('%s is refused', async (_, text, status) => {
    await using server = await listen(options())
    expect(await raw(server.url, text)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })
})

test('a request without a body is none with a wrong one, whatever its method', async () => {
  await using server = await listen(options())
  const statuses = ['DELETE', 'PUT', 'PATCH'].map(async method => {
    const head = `${method} /v1/analyses/nobody HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
    return (await raw(server.url, head)).slice(9, 12)
  })
  expect(await Promise.all(statuses)).toEqual(['404', '405', '405'])
})

test('a client that hangs up while it waits takes its sweep along', async () => {
  await using silent = await SilentPython.create()
  await using server = await listen(options({ engine: 'trace', python: silent.command }))
  const leaving = new AbortController()
  const asked = fetch(`${server.url}/analyze`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"model_name":"bert","gpu":"a10"}',
    signal: leaving.signal,
  })
  // The first is asked what the machine has.
  await expect.poll(async () => (await silent.pids()).length).toBeGreaterThan(0)
  leaving.abort()
  await expect(asked).rejects.toThrow()
  const { id } = (await (
    await fetch(`${server.url}/v1/analyses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model":"bert"}',
    })
  ).json()) as { id: string }
  const state = async () => ((await (await fetch(`${server.url}/v1/analyses/${id}`)).json()) as { state: string }).state
  // It has waited for the other, which is gone.
  await expect.poll(state).toBe('running')
})

describe('its end', () => {
  test('closes readers of events after the last event, and leaves no process', async () => {
    await using silent = await SilentPython.create()
    const server = await listen(options({ engine: 'trace', python: silent.command }))
    const submitted = await fetch(`${server.url}/v1/analyses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model":"bert"}',
    })
    const { id } = (await submitted.json()) as { id: string }
    const reading = (await fetch(`${server.url}/v1/analyses/${id}/events`)).text()
    await expect.poll(() => silent.pids()).not.toEqual([])
    await server[Symbol.asyncDispose]()
    expect(eventsIn(await reading).at(-1)?.kind).toBe('cancelled')
    expect((await silent.pids()).filter(isAlive)).toEqual([])
    await expect(fetch(`${server.url}/health`)).rejects.toThrow()
  })
})
