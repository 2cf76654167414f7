/** Against the emulated GitHub, which answers exactly these queries and counts them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../action/github.ts'
import { MAX_CONFIG_BYTES } from '../../engine/base/limits.ts'
import { CommitFiles } from '../../github/commit-files.ts'
import { GraphqlRefusal } from '../../github/graphql.ts'
import { type KeptTexts, KeptTextsOfAll } from '../../github/kept-texts.ts'
import { type EmulatedGitHub, type FileChanges, startGitHub } from './index.ts'

const keepsNothing: KeptTexts = { get: () => undefined, set: () => {} }

let github: EmulatedGitHub
let own: ReturnType<typeof connect>

beforeAll(async () => {
  github = await startGitHub()
  own = clientWith(await github.actionsToken())
})
afterAll(() => github[Symbol.asyncDispose]())

function clientWith(token: string, url = github.url) {
  const client = connect(token, globalThis.fetch)
  client.hook.before('request', options => {
    options.baseUrl = url
  })
  return client
}

let repositories = 0

async function commit(files: FileChanges, { client = own, kept = keepsNothing, at = github } = {}) {
  const repository = await at.createRepository(`files-${repositories++}`, { 'README.md': 'Models' })
  const commitSha = await repository.pushToBranch('main', files)
  const place = { owner: repository.owner, repo: repository.name }
  const reopened = () => new CommitFiles({ client, repository: place, commitSha, kept })
  return { files: reopened(), reopened, repository }
}

/** What was asked for, without the names of repositories and commits. */
async function callsOf(act: () => Promise<unknown>): Promise<string[]> {
  const before = github.requests.length
  await act()
  return github.requests
    .slice(before)
    .map(
      ({ method, path }) => `${method} ${path.replace(/^\/repos\/[^/]+\/[^/]+\//, '').replace(/[0-9a-f]{40}/, 'SHA')}`,
    )
}

const tree = 'GET git/trees/SHA?recursive=true'
const query = 'POST /graphql'

describe('many files', () => {
  it('are read in the order asked for by one query, and each once', async () => {
    const { files } = await commit({ 'a.yaml': 'batch: 1', 'b/ü.yaml': 'größe: 2\r\n' })
    const calls = await callsOf(async () => {
      expect(await files.read(['b/ü.yaml', 'a.yaml'])).toMatchObject([
        { kind: 'file', file: { path: 'b/ü.yaml', text: 'größe: 2\r\n' } },
        { kind: 'file', file: { path: 'a.yaml', text: 'batch: 1' } },
      ])
      await files.read(['a.yaml'])
      expect(await files.text('a.yaml')).toBe('batch: 1')
    })
    expect(calls).toEqual([tree, query])
  })

  it('are read a hundred at a time', async () => {
    const paths = Array.from({ length: 201 }, (_, index) => `${index}.yaml`)
    const { files } = await commit(Object.fromEntries(paths.map(path => [path, path])))
    const calls = await callsOf(async () => {
      const readings = await files.read(paths)
      expect(readings.map(one => one.kind === 'file' && one.file.text)).toEqual(paths)
    })
    expect(calls).toEqual([tree, query, query, query])
  })

  it('are read in smaller lots where they are large: GitHub gives up answers that take it too long', async () => {
    const paths = Array.from({ length: 40 }, (_, index) => `${index}.yaml`)
    const { files } = await commit(Object.fromEntries(paths.map(path => [path, `# ${path}\n${'x'.repeat(400_000)}`])))
    const calls = await callsOf(async () => {
      expect((await files.read(paths)).every(({ kind }) => kind === 'file')).toBe(true)
    })
    expect(calls).toEqual([tree, query, query])
  })

  it('are read by halves where GitHub gives up all the same', async () => {
    const { files } = await commit({ 'a.yaml': 'a', 'b.yaml': 'b' })
    github.failNext({ method: 'POST', path: /^\/graphql$/, status: 502, times: 1 })
    const calls = await callsOf(async () => {
      expect((await files.read(['a.yaml', 'b.yaml'])).map(({ kind }) => kind)).toEqual(['file', 'file'])
    })
    expect(calls).toEqual([tree, query, query, query])
  })
})

describe('a path', () => {
  it('at which there is nothing costs no query', async () => {
    const { files } = await commit({ 'a.yaml': 'a' })
    const calls = await callsOf(async () => {
      expect(await files.read(['b.yaml', '../a.yaml', ''])).toEqual(Array(3).fill({ kind: 'absent' }))
      expect(await files.isUnread('b.yaml')).toBe(false)
      expect(await files.blobSha('b.yaml')).toBeUndefined()
    })
    expect(calls).toEqual([tree])
  })

  it('that would be something else in a query, a URL or a shell is a path', async () => {
    const hostile = ['a") { __typename } #.yaml', 'a?ref=main#%2F.yaml', '$path0: String!.yaml', '$(id) `id`.yaml']
    const { files } = await commit(Object.fromEntries(hostile.map(path => [path, path])))
    const readings = await files.read(hostile)
    expect(readings.map(one => one.kind === 'file' && one.file.text)).toEqual(hostile)
    const { body } = github.requests.at(-1) ?? {}
    expect(JSON.stringify((body as { query: string }).query)).not.toContain('typename')
  })

  it('of a folder, a submodule or a binary file has no text', async () => {
    const { files } = await commit({
      'folder.yaml/a.yaml': 'a',
      'module.yaml': { kind: 'submodule', sha: 'd'.repeat(40) },
      'binary.json': '\0\u0001',
    })
    const readings = await files.read(['folder.yaml', 'module.yaml', 'binary.json'])
    expect(readings.map(({ kind }) => kind)).toEqual(['absent', 'no-text', 'no-text'])
  })

  it('of a link is read as what it leads to, and of one that leads out of the repository as nothing', async () => {
    const link = (text: string) => ({ kind: 'link', text }) as const
    const { files } = await commit({
      'configs/real.yaml': 'batch: 1',
      'configs/link.yaml': link('real.yaml'),
      'links/far.yaml': link('../configs/link.yaml'),
      'links/out.yaml': link('../../etc/passwd'),
      'links/absolute.yaml': link('/configs/real.yaml'),
      'links/nowhere.yaml': link('nothing.yaml'),
      'links/circle.yaml': link('circle-2.yaml'),
      'links/circle-2.yaml': link('circle.yaml'),
    })
    const linked = ['configs/link.yaml', 'links/far.yaml']
    const lost = ['out', 'absolute', 'nowhere', 'circle'].map(name => `links/${name}.yaml`)
    expect(await files.read([...linked, ...lost])).toMatchObject([
      ...linked.map(path => ({ kind: 'file', file: { path, text: 'batch: 1' } })),
      ...lost.map(() => ({ kind: 'no-text' })),
    ])
  })

  it('of a link costs no call of its own', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `${index}.yaml`)
    const links = names.map(name => [`links/${name}`, { kind: 'link', text: `../real/${name}` }] as const)
    const { files } = await commit({
      ...Object.fromEntries(names.map(name => [`real/${name}`, name])),
      ...Object.fromEntries(links),
    })
    const calls = await callsOf(async () => {
      const readings = await files.read(links.map(([path]) => path))
      expect(readings.map(one => one.kind === 'file' && one.file.text)).toEqual(names)
    })
    expect(calls).toEqual([tree, query, query])
  })
})

describe('a file', () => {
  it('of 2 MB is too large for the engine, which is told so by its size and its beginning, without reading the rest', async () => {
    const { files } = await commit({ 'large.yaml': 'x'.repeat(2_000_000) })
    const calls = await callsOf(async () => {
      const [reading] = await files.read(['large.yaml'])
      expect(reading).toMatchObject({ kind: 'file', file: { sizeBytes: 2_000_000 } })
      expect((await files.text('large.yaml'))?.length).toBeGreaterThan(MAX_CONFIG_BYTES)
    })
    expect(calls).toEqual([tree, query])
  })

  it('above 16 MiB is not read', async () => {
    const { files } = await commit({ 'huge.json': 'x'.repeat(16_777_217), 'a.yaml': 'a' })
    const readings = await files.read(['huge.json', 'a.yaml'])
    expect(readings.map(({ kind }) => kind)).toEqual(['too-large', 'file'])
  })
})

describe('beyond the end of a tree that GitHub cut', () => {
  it('files are found by asking for them', async () => {
    await using cut = await startGitHub({ maxTreeEntries: 1 })
    const client = clientWith(await cut.actionsToken(), cut.url)
    const { files } = await commit(
      { 'z/b.yaml': 'b', 'z/link.yaml': { kind: 'link', text: 'b.yaml' } },
      { client, at: cut },
    )
    expect(await files.isUnread('z/b.yaml')).toBe(true)
    const readings = await files.read(['z/b.yaml', 'z/link.yaml', 'z/c.yaml', 'z', '../a.yaml'])
    expect(readings.map(({ kind }) => kind)).toEqual(['file', 'file', 'absent', 'no-text', 'absent'])
    expect(await files.text('z/link.yaml')).toBe('b')
    expect(await files.blobSha('z/b.yaml')).toMatch(/^[0-9a-f]{40}$/)
  })
})

describe('what was read before', () => {
  it('is not asked for again in the same repository, and is no help in another one', async () => {
    const kept = new KeptTextsOfAll()
    const { files, reopened } = await commit(
      { 'a.yaml': 'a' },
      { kept: kept.of({ installationId: 1, repositoryId: 1 }) },
    )
    await files.read(['a.yaml'])
    expect(await callsOf(() => reopened().read(['a.yaml']))).toEqual([tree])
    for (const [installationId, repositoryId] of [
      [1, 2],
      [2, 1],
    ] as const) {
      const { files: others } = await commit({ 'a.yaml': 'a' }, { kept: kept.of({ installationId, repositoryId }) })
      expect(await callsOf(() => others.read(['a.yaml']))).toEqual([tree, query])
    }
  })

  it('is forgotten from the end where it would take too much memory', () => {
    const kept = new KeptTextsOfAll(10_000)
    const own = kept.of({ installationId: 1, repositoryId: 1 })
    for (const sha of ['a', 'b', 'c']) own.set(sha, 'x'.repeat(1_000))
    own.get('a')
    for (const sha of ['d', 'e']) own.set(sha, 'x'.repeat(1_000))
    expect(['a', 'b', 'c', 'd', 'e'].map(sha => own.get(sha) !== undefined)).toEqual([true, false, true, true, true])
    own.set('f', 'x'.repeat(20_000))
    expect(own.get('f')).toBeUndefined()
    expect(kept.bytes).toBe(0)
  })
})

describe('a refusal', () => {
  it.each([
    ['RATE_LIMITED', 429],
    ['FORBIDDEN', 403],
    ['INTERNAL', 502],
  ] as const)(
    'of type %s, which GraphQL tells with status 200, is told as REST would: %i',
    async (graphqlError, status) => {
      const { files } = await commit({ 'a.yaml': 'a' })
      github.failNext({ method: 'POST', path: /^\/graphql$/, status: 200, graphqlError, times: 1 })
      const error = await files.read(['a.yaml']).catch((error: unknown) => error)
      expect(error).toBeInstanceOf(GraphqlRefusal)
      expect(error).toMatchObject({ status, message: 'A fault that the test asked for' })
    },
  )

  it('of a commit that GitHub does not have is a 404', async () => {
    const { repository } = await commit({})
    const gone = new CommitFiles({
      client: own,
      repository: { owner: repository.owner, repo: repository.name },
      commitSha: 'd'.repeat(40),
      kept: keepsNothing,
    })
    await expect(gone.read(['a.yaml'])).rejects.toMatchObject({ status: 404 })
    expect(await gone.exists()).toBe(false)
  })
})
