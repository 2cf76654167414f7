/** Who exists in the emulated world, and the two Apps that act in it. */
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'

export interface Account {
  readonly login: string
  readonly token: string
}

/** Owns the repositories unless told otherwise. */
export const owner: Account = { login: 'acme', token: 'token-of-acme' }
/** Owns others, with an installation of its own. */
export const otherOwner: Account = { login: 'globex', token: 'token-of-globex' }
/** May write to every repository. */
export const maintainer: Account = { login: 'maintainer', token: 'token-of-maintainer' }
/** Opens pull requests from a fork; may only read. */
export const contributor: Account = { login: 'mona', token: 'token-of-mona' }

const owners: readonly Account[] = [owner, otherOwner]
const people: readonly Account[] = [...owners, maintainer, contributor]

/** emulate lets a token make 5,000 calls an hour, which a storm would use up; people have as many tokens as they like. */
const SPARE_TOKENS = 100

/** The same person's token, another one each time; those of Apps stay as they are. */
export function spareToken(token: string, turn: number): string {
  return people.some(person => person.token === token) ? `${token}-${turn % SPARE_TOKENS}` : token
}

function tokensOf({ token }: Account): readonly string[] {
  return [token, ...Array.from({ length: SPARE_TOKENS }, (_, turn) => spareToken(token, turn))]
}

export type Level = 'read' | 'write'
export type Permissions = Readonly<Record<string, Level>>

export interface InstalledApp {
  readonly id: number
  readonly slug: string
  readonly name: string
  /** By the account that installed it. */
  readonly installations: Readonly<Record<string, number>>
  readonly permissions: Permissions
  readonly events: readonly string[]
}

export interface Installation {
  readonly id: number
  readonly app: InstalledApp
  readonly account: string
}

const manifestFile = path.join(import.meta.dirname, '../../bot/app.yml')
const manifest = z
  .object({
    default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
    default_events: z.array(z.string()),
  })
  .parse(parse(readFileSync(manifestFile, 'utf8')))

/** The bot, with what bot/app.yml asks for and nothing else. */
export const memoryMarkApp: InstalledApp = {
  id: 4242,
  slug: 'memorymark',
  name: 'MemoryMark',
  installations: { [owner.login]: 100, [otherOwner.login]: 101 },
  permissions: manifest.default_permissions,
  events: manifest.default_events,
}

/** GitHub Actions is an App too; a workflow's GITHUB_TOKEN is an installation token of it. */
export const actionsApp: InstalledApp = {
  id: 15368,
  slug: 'github-actions',
  name: 'GitHub Actions',
  installations: { [owner.login]: 200, [otherOwner.login]: 201 },
  permissions: {
    actions: 'read',
    checks: 'write',
    contents: 'read',
    issues: 'write',
    metadata: 'read',
    pull_requests: 'write',
  },
  events: [],
}

export const apps: readonly InstalledApp[] = [memoryMarkApp, actionsApp]

export const installations: readonly Installation[] = apps.flatMap(app =>
  Object.entries(app.installations).map(([account, id]) => ({ id, app, account })),
)

export interface Granted {
  /** What an owner has accepted; an installation keeps it until a wider manifest is accepted. */
  readonly permissions: Permissions
  readonly events: readonly string[]
}

const keys = new Map<number, string>()

/** One for all emulated GitHubs: to make a key takes longer than to start one of them. */
export function privateKeyOf({ id }: InstalledApp): string {
  const key = keys.get(id) ?? makeKey()
  keys.set(id, key)
  return key
}

function makeKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  return privateKey
}

/** `granted`: to MemoryMark; what its manifest asks for unless told. */
export function seedFor(granted: Partial<Granted>) {
  return {
    tokens: Object.fromEntries(
      people.flatMap(person =>
        tokensOf(person).map(token => [token, { login: person.login, scopes: ['repo', 'user'] }]),
      ),
    ),
    github: {
      users: people.map(({ login }) => ({ login })),
      // No webhook_url: emulate repeats delivery ids and cannot redeliver, so webhooks.ts sends them.
      apps: apps.map(app => ({
        app_id: app.id,
        slug: app.slug,
        name: app.name,
        private_key: privateKeyOf(app),
        permissions: app.permissions,
        events: app.events,
        installations: Object.entries(app.installations).map(([account, id]) => ({
          installation_id: id,
          account,
          ...(app === memoryMarkApp ? granted : {}),
        })),
      })),
    },
  }
}

/** Whose token an `authorization` header carries. */
export function personBehind(authorization: string | undefined): Account {
  const given = authorization?.replace(/^\w+ /, '').replace(/-\d+$/, '')
  const person = people.find(({ token }) => token === given)
  if (person === undefined) throw new Error('Nobody here has such a token')
  return person
}

/** Of a repository by its full name. */
export function ownerOf(fullName: string): Account {
  const account = owners.find(({ login }) => fullName.startsWith(`${login}/`))
  if (account === undefined) throw new Error(`Nobody here owns ${fullName}`)
  return account
}
