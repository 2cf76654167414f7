/**
 * GraphQL, for exactly what MemoryMark queries: anything else is refused as a field that does not exist. The types are GitHub's,
 * less what nobody here asks for.
 */
import { buildSchema, GraphQLError, graphql } from 'graphql'
import * as z from 'zod'
import { owner } from './accounts.ts'
import type { Caller } from './authorship.ts'
import { bodyOf, type Call, type Gateway, type Routes, refuse } from './gateway.ts'
import { covers } from './permissions.ts'

const schema = buildSchema(`
  scalar GitObjectID
  type Query {
    viewer: User!
    repository(owner: String!, name: String!): Repository
  }
  type User { login: String! }
  type Repository { object(oid: GitObjectID): GitObject }
  interface GitObject { oid: GitObjectID! }
  type Commit implements GitObject {
    oid: GitObjectID!
    file(path: String!): TreeEntry
  }
  type TreeEntry {
    mode: Int!
    type: String!
    oid: GitObjectID!
    object: GitObject
  }
  type Tree implements GitObject { oid: GitObjectID! }
  type Blob implements GitObject {
    oid: GitObjectID!
    byteSize: Int!
    isBinary: Boolean
    isTruncated: Boolean!
    text: String
  }
`)

/** Of a text, GitHub sends so much. */
const MAX_TEXT_BYTES = 512_000
/** An answer that takes longer than ten seconds is given up. GitHub does not say how much that is; more than this is asking for it. */
const MAX_ANSWER_BYTES = 10 * 2 ** 20

const query = z.object({ query: z.string(), variables: z.record(z.string(), z.unknown()).default({}) })

export function routeGraphql(routes: Routes, gateway: Gateway): void {
  const blobs: Blobs = new Map()
  routes.post('/graphql', async c => {
    const parsed = query.safeParse(await bodyOf(c))
    if (!parsed.success) return refuse(400, 'A query attribute must be specified and must be a string.')
    const result = await graphql({
      schema,
      source: parsed.data.query,
      variableValues: parsed.data.variables,
      rootValue: new Root(gateway, blobs, gateway.tokens.callerOf(c.req.header('authorization'))),
      typeResolver: (value: { readonly kind: string }) => value.kind,
    })
    return answered(c, result)
  })
}

function answered(c: Call, { data, errors = [] }: Awaited<ReturnType<typeof graphql>>): Response {
  const told = errors.map(({ message, path, extensions }) => ({ message, path, ...extensions }))
  const text = JSON.stringify({ ...(data !== undefined && { data }), ...(told.length > 0 && { errors: told }) })
  if (Buffer.byteLength(text) > MAX_ANSWER_BYTES) {
    return refuse(502, "We couldn't respond to your request in time. Sorry about that.")
  }
  return c.body(text, 200, { 'content-type': 'application/json', 'x-ratelimit-resource': 'graphql' })
}

interface EntryJson {
  readonly path: string
  readonly mode: string
  readonly type: 'blob' | 'tree' | 'commit'
  readonly sha: string
}

/** By their paths; kept, since a blob never changes and the files of a pull request are read several times. */
type Blobs = Map<string, Promise<object>>

/** Its fields and methods answer those of the query. */
class Root {
  readonly #gateway: Gateway
  readonly #blobs: Blobs
  readonly #caller: Caller | undefined

  constructor(gateway: Gateway, blobs: Blobs, caller: Caller | undefined) {
    this.#gateway = gateway
    this.#blobs = blobs
    this.#caller = caller
  }

  get viewer() {
    return { login: this.#caller === undefined ? owner.login : `${this.#caller.installation.app.slug}[bot]` }
  }

  repository({ owner: login, name }: { readonly owner: string; readonly name: string }) {
    if (this.#caller !== undefined && this.#caller.installation.account !== login) {
      throw refusal('NOT_FOUND', `Could not resolve to a Repository with the name '${login}/${name}'.`)
    }
    return { object: ({ oid }: { readonly oid: string }) => this.#commit(`/repos/${login}/${name}/git`, oid) }
  }

  async #commit(git: string, oid: string) {
    if (this.#caller !== undefined && !covers(this.#caller.permissions, ['contents:read'])) {
      throw refusal('FORBIDDEN', 'Resource not accessible by integration')
    }
    const found = await this.#gateway.upstream.find<{ tree: readonly EntryJson[] }>(
      `${git}/trees/${oid}?recursive=1`,
      owner.token,
    )
    if (found === undefined) return null
    const entries = new Map(found.tree.map(entry => [entry.path, entry]))
    return {
      kind: 'Commit',
      oid,
      file: ({ path }: { readonly path: string }) => {
        const entry = entries.get(path)
        return entry === undefined ? null : this.#entry(git, entry)
      },
    }
  }

  #entry(git: string, { mode, type, sha }: EntryJson) {
    return {
      mode: Number.parseInt(mode, 8),
      type,
      oid: sha,
      object: () => {
        // A submodule's commit is in another repository.
        if (type === 'commit') return null
        return type === 'tree' ? { kind: 'Tree', oid: sha } : this.#blob(git, sha)
      },
    }
  }

  #blob(git: string, sha: string): Promise<object> {
    const path = `${git}/blobs/${sha}`
    const blob = this.#blobs.get(path) ?? this.#readBlob(path, sha)
    this.#blobs.set(path, blob)
    return blob
  }

  async #readBlob(path: string, sha: string) {
    const { content } = await this.#gateway.upstream.json<{ content: string }>('GET', path, owner.token)
    const bytes = Buffer.from(content, 'base64')
    const isBinary = bytes.includes(0)
    return {
      kind: 'Blob',
      oid: sha,
      byteSize: bytes.length,
      isBinary,
      isTruncated: !isBinary && bytes.length > MAX_TEXT_BYTES,
      text: isBinary ? null : bytes.subarray(0, MAX_TEXT_BYTES).toString('utf8'),
    }
  }
}

function refusal(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } })
}
