import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { MemoryMarkError } from '../../engine/base/errors.ts'
import { createHub, type HubSettings, hubSettings } from '../../engine/models/hub.ts'
import { cacheFolder, folderCache } from '../../engine/models/hub-cache.ts'

const TOKEN = 'hf_secret'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A Hub on loopback, with what it was asked. */
class FakeHub implements AsyncDisposable {
  readonly requests: { readonly url: string; readonly authorization: string | undefined }[] = []
  readonly #server
  private constructor(answer: Answer) {
    this.#server = createServer((request, response) => {
      this.requests.push({ url: request.url ?? '', authorization: request.headers.authorization })
      answer(request, response)
    })
  }

  static async that(answer: Answer): Promise<FakeHub> {
    const hub = new FakeHub(answer)
    await new Promise<void>(resolve => hub.#server.listen(0, '127.0.0.1', resolve))
    return hub
  }

  get endpoint(): URL {
    const { port } = this.#server.address() as AddressInfo
    return new URL(`http://127.0.0.1:${port}`)
  }

  ask(settings: Partial<HubSettings> = {}, id = 'acme/tiny') {
    return createHub({ endpoint: this.endpoint, ...settings }).configJson(id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

const says =
  (status: number, headers: Record<string, string> = {}, text = ''): Answer =>
  (_, response) => {
    response.writeHead(status, headers).end(text)
  }

describe('the Hub', () => {
  test('is asked for the config.json alone, with the token', async () => {
    await using hub = await FakeHub.that(says(200, {}, '{"model_type": "llama"}'))
    expect(await hub.ask({ token: TOKEN })).toEqual({ kind: 'found', text: '{"model_type": "llama"}' })
    expect(hub.requests).toEqual([{ url: '/acme/tiny/resolve/main/config.json', authorization: `Bearer ${TOKEN}` }])
  })

  test('may stand below a path of a mirror, and is sent no token where there is none', async () => {
    await using hub = await FakeHub.that(says(200, {}, '{}'))
    await hub.ask({ endpoint: new URL('/mirror/', hub.endpoint) })
    expect(hub.requests).toEqual([{ url: '/mirror/acme/tiny/resolve/main/config.json', authorization: undefined }])
  })

  test('is asked once for a model that several configs name', async () => {
    await using hub = await FakeHub.that(says(200, {}, '{}'))
    const client = createHub({ endpoint: hub.endpoint })
    await Promise.all([client.configJson('acme/tiny'), client.configJson('acme/tiny')])
    expect(hub.requests).toHaveLength(1)
  })

  test.each([
    [404, {}, 'missing'],
    [401, { 'x-error-code': 'RepoNotFound' }, 'missing'],
    [404, { 'x-error-code': 'EntryNotFound' }, 'missing'],
    [401, { 'x-error-code': 'GatedRepo' }, 'refused'],
    [403, {}, 'refused'],
  ])('that answers %d %j counts as %s', async (status, headers, kind) => {
    await using hub = await FakeHub.that(says(status, headers))
    expect(await hub.ask()).toEqual({ kind })
  })

  test.each([429, 500, 503])('that answers %d is unreachable', async status => {
    await using hub = await FakeHub.that(says(status))
    expect(await hub.ask()).toEqual({ kind: 'unreachable', why: `it answered with status ${status}` })
  })

  test('is followed where it redirects within itself', async () => {
    await using hub = await FakeHub.that((request, response) => {
      if (request.url?.startsWith('/acme/')) says(307, { location: '/renamed/config.json' })(request, response)
      else says(200, {}, '{}')(request, response)
    })
    expect(await hub.ask({ token: TOKEN })).toEqual({ kind: 'found', text: '{}' })
    expect(hub.requests.map(({ url }) => url)).toEqual(['/acme/tiny/resolve/main/config.json', '/renamed/config.json'])
  })

  test('is not followed to another site, which never sees the token', async () => {
    await using other = await FakeHub.that(says(200, {}, '{}'))
    await using hub = await FakeHub.that(says(302, { location: other.endpoint.href }))
    expect(await hub.ask({ token: TOKEN })).toEqual({ kind: 'unreachable', why: 'it redirects to another site' })
    expect(other.requests).toEqual([])
  })

  test('is not followed in circles', async () => {
    await using hub = await FakeHub.that(says(302, { location: '/acme/tiny' }))
    expect(await hub.ask()).toEqual({ kind: 'unreachable', why: 'it redirects too often' })
    expect(hub.requests).toHaveLength(5)
  })

  test('is not read beyond 1 MiB', async () => {
    await using hub = await FakeHub.that((_, response) => {
      response.writeHead(200)
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1_024)));
        response.once('drain', pour)
      }
      pour()
    })
    expect(await hub.ask()).toEqual({ kind: 'unreachable', why: 'its config.json is larger than 1 MiB' })
  })

  test('that does not answer is given up', async () => {
    await using hub = await FakeHub.that(() => {})
    expect(await hub.ask({ timeoutMillis: 50 })).toEqual({ kind: 'unreachable', why: 'it took too long to answer' })
  })

  test('that is not there is unreachable, and says why without the token', async () => {
    const gone = await FakeHub.that(says(200))
    const { endpoint } = gone
    await gone[Symbol.asyncDispose]()
    expect(await createHub({ endpoint, token: TOKEN }).configJson('acme/tiny')).toEqual({
      kind: 'unreachable',
      why: 'the connection failed (ECONNREFUSED)',
    })
  })
})

describe('the cache', () => {
  class Folder implements AsyncDisposable {
    readonly path: string
    constructor(folder: string) {
      this.path = folder
    }
    static async create(): Promise<Folder> {
      return new Folder(await mkdtemp(path.join(tmpdir(), 'memorymark-hub-')))
    }
    async [Symbol.asyncDispose](): Promise<void> {
      await rm(this.path, { recursive: true, force: true })
    }
  }

  test('spares the second run the question', async () => {
    await using folder = await Folder.create()
    await using hub = await FakeHub.that(says(200, {}, '{"model_type": "llama"}'))
    const cache = folderCache(path.join(folder.path, 'not', 'yet'))
    await hub.ask({ cache })
    expect(await hub.ask({ cache })).toEqual({ kind: 'found', text: '{"model_type": "llama"}' })
    expect(hub.requests).toHaveLength(1)
  })

  test('keeps no failure', async () => {
    await using folder = await Folder.create()
    await using hub = await FakeHub.that(says(503))
    const cache = folderCache(folder.path)
    await hub.ask({ cache })
    await hub.ask({ cache })
    expect(hub.requests).toHaveLength(2)
    expect(await readdir(folder.path)).toEqual([])
  })

  test('forgets after 30 days', async () => {
    await using folder = await Folder.create()
    const cache = folderCache(folder.path, () => Date.parse('2026-03-01'))
    await cache.write('http://hub/a', '{}')
    const [file = ''] = await readdir(folder.path)
    const writtenOn = async (date: string) => utimes(path.join(folder.path, file), new Date(date), new Date(date))
    await writtenOn('2026-02-01')
    expect(await cache.read('http://hub/a')).toBe('{}')
    await writtenOn('2026-01-01')
    expect(await cache.read('http://hub/a')).toBeUndefined()
  })

  test('that cannot be written changes nothing', async () => {
    await using hub = await FakeHub.that(says(200, {}, '{}'))
    const cache = folderCache('/dev/null/memorymark')
    expect(await hub.ask({ cache })).toEqual({ kind: 'found', text: '{}' })
  })

  test.each<[NodeJS.Platform, Record<string, string>, string]>([
    ['linux', {}, '/home/ada/.cache/memorymark/hub'],
    ['linux', { XDG_CACHE_HOME: '/var/cache/ada' }, '/var/cache/ada/memorymark/hub'],
    ['darwin', {}, '/home/ada/Library/Caches/memorymark/hub'],
    ['win32', { LOCALAPPDATA: '/local' }, '/local/memorymark/hub'],
  ])('on %s with %j is %s', (platform, env, folder) => {
    expect(cacheFolder(env, platform, '/home/ada')).toBe(folder)
  })
})

describe('the environment', () => {
  test('says nothing: the public Hub', () => {
    expect(hubSettings({})).toEqual({ endpoint: new URL('https://huggingface.co') })
  })

  test('names an endpoint and a token', () => {
    expect(hubSettings({ HF_ENDPOINT: 'https://hub.acme.test/hf', HF_TOKEN: ' hf_secret\n' })).toEqual({
      endpoint: new URL('https://hub.acme.test/hf'),
      token: TOKEN,
    })
  })

  test.each(['1', 'true', 'ON', 'yes'])('forbids the network with HF_HUB_OFFLINE=%s', value => {
    expect(hubSettings({ HF_HUB_OFFLINE: value })).toBeUndefined()
  })

  test.each(['huggingface.co', 'file:///etc', 'javascript:0'])('names no endpoint with %s', value => {
    expect(() => hubSettings({ HF_ENDPOINT: value })).toThrow(MemoryMarkError)
  })
})
