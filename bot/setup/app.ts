/**
 * The setup's routes. Unlike Probot's own setup, which accepts any code from anybody, the page requires the token that
 * the bot wrote to its log, and only a browser that this page sent to GitHub may return, once.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import { MemoryMarkError } from '../../engine/base/errors.ts'
import type { CreatedApp } from './created-app.ts'
import { CREATED_PATH, manifestFor, webUrlOf } from './manifest.ts'
import { createdPage, refusedPage, setupPage } from './page.ts'
import { PendingStates } from './pending-states.ts'
import { style } from './style.ts'

export interface SetupOptions {
  readonly apiUrl: string
  /** The file in which the credentials will be stored. */
  readonly file: string
  readonly now: () => Date
  readonly fetchApp: (code: string) => Promise<CreatedApp>
  /** Stores the credentials. @throws MemoryMarkError */
  readonly keep: (app: CreatedApp) => Promise<void>
}

export interface SetupApp {
  readonly app: Hono
  /** The page's path with its token. */
  readonly path: string
}

const SETUP_PATH = '/setup'

/** A host name or IP address, possibly with a port. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** The form of GitHub's codes. */
const CODE = /^[\w-]{1,100}$/
const ORGANIZATION = /^[A-Za-z0-9-]{1,39}$/

export function setupApp({ apiUrl, file, now, fetchApp, keep }: SetupOptions): SetupApp {
  const token = randomBytes(24).toString('base64url')
  const states = new PendingStates(() => now().getTime())
  let isCreated = false
  const github = webUrlOf(apiUrl)
  const app = new Hono()

  app.use(secureHeaders(pageHeaders))
  app.get('/health', c => c.json({ status: 'ok' }))
  app.get('/ready', c => c.json({ status: 'without App' }, 503))

  app.get(SETUP_PATH, c => {
    if (!isSame(c.req.query('token') ?? '', token)) return refused(c, 403, wrongToken)
    if (isCreated) return refused(c, 403, alreadyCreated)
    const address = addressOf(c)
    if (address === undefined) return refused(c, 400, wrongHost)
    const organization = c.req.query('organization') || undefined
    if (organization !== undefined && !ORGANIZATION.test(organization)) return refused(c, 400, wrongOrganization)
    const owner = organization === undefined ? '' : `/organizations/${organization}`
    const createUrl = `${github}${owner}/settings/apps/new?state=${states.begin()}`
    return c.html(setupPage({ manifest: manifestFor(address), createUrl, token, organization, file }))
  })

  app.get(CREATED_PATH, async c => {
    const { code = '', state = '' } = c.req.query()
    if (isCreated) return refused(c, 403, alreadyCreated)
    if (!states.take(state)) return refused(c, 403, wrongState)
    if (!CODE.test(code)) return refused(c, 400, wrongCode)
    try {
      const created = await fetchApp(code)
      await keep(created)
      isCreated = true
      const installUrl = created.url.startsWith(`${github}/`) ? `${created.url}/installations/new` : github
      return c.html(createdPage({ slug: created.slug, installUrl, file }))
    } catch (error) {
      if (!(error instanceof MemoryMarkError)) throw error
      return refused(c, 502, error.problem)
    }
  })
  return { app, path: `${SETUP_PATH}?token=${token}` }
}

/**
 * Allows no scripts and no frames. `form-action` stays open, because browsers apply it to redirects and GitHub may
 * redirect to another site to sign in. GitHub is sent only the origin, since the address contains the token.
 */
const pageHeaders: Parameters<typeof secureHeaders>[0] = {
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: [`'sha256-${createHash('sha256').update(style).digest('base64')}'`],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
  referrerPolicy: 'strict-origin',
  strictTransportSecurity: false,
}

/** The address by which the browser reaches the bot; a proxy that terminates TLS tells it in headers. */
function addressOf({ req }: Context): string | undefined {
  const scheme = req.header('x-forwarded-proto')?.split(',')[0]?.trim() === 'https' ? 'https' : 'http'
  const host = req.header('host') ?? ''
  return HOST.test(host) ? URL.parse(`${scheme}://${host}`)?.origin : undefined
}

interface Refusal {
  readonly message: string
  readonly fix: string
}

function refused(c: Context, status: 400 | 403 | 502, { message, fix }: Refusal) {
  return c.html(refusedPage(message, fix), status)
}

const beginAgain = 'Begin again with the link that the bot has written to its log.'
const wrongToken: Refusal = { message: 'This page needs the token of this bot', fix: beginAgain }
/** Connections that browsers keep open outlive the setup by seconds. */
const alreadyCreated: Refusal = {
  message: 'This bot has its App',
  fix: 'The link counts no more: the bot is at work. For another App, delete the file with the credentials and start the bot again.',
}
const wrongHost: Refusal = { message: 'The Host header is not a host', fix: beginAgain }
const wrongOrganization: Refusal = { message: 'That is not the name of an organization', fix: beginAgain }
const wrongState: Refusal = {
  message: 'This bot did not begin what GitHub has ended here, or it has been ended before',
  fix: beginAgain,
}
const wrongCode: Refusal = { message: 'GitHub’s answer has no code', fix: beginAgain }

/** Compares hashes of equal length, so that timing reveals nothing. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}
