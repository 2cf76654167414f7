/**
 * The routes of the setup. Probot's own setup takes any code from anybody; here the page asks for the token that the bot has
 * written to its log, and only who was sent to GitHub by that page may come back, once.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import { MemoryMarkError } from '../../engine/errors.ts'
import type { CreatedApp } from './created-app.ts'
import { CREATED_PATH, manifestFor, webUrlOf } from './manifest.ts'
import { createdPage, refusedPage, setupPage } from './page.ts'
import { PendingStates } from './pending-states.ts'

export interface SetupOptions {
  readonly apiUrl: string
  /** Where the credentials will be kept. */
  readonly file: string
  readonly now: () => Date
  readonly fetchApp: (code: string) => Promise<CreatedApp>
  /** Keeps what was created. @throws MemoryMarkError */
  readonly keep: (app: CreatedApp) => Promise<void>
}

export interface SetupApp {
  readonly app: Hono
  /** Of the page, with the token that it asks for. */
  readonly path: string
}

const SETUP_PATH = '/setup'

/** A name or an address, and perhaps a port. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** As GitHub writes them. */
const CODE = /^[\w-]{1,100}$/
const ORGANIZATION = /^[A-Za-z0-9-]{1,39}$/

export function setupApp({ apiUrl, file, now, fetchApp, keep }: SetupOptions): SetupApp {
  const token = randomBytes(24).toString('base64url')
  const states = new PendingStates(() => now().getTime())
  const github = webUrlOf(apiUrl)
  const app = new Hono()

  app.use(secureHeaders(pageHeaders))
  app.get('/health', c => c.json({ status: 'ok' }))
  app.get('/ready', c => c.json({ status: 'without App' }, 503))

  app.get(SETUP_PATH, c => {
    if (!isSame(c.req.query('token') ?? '', token)) return refused(c, 403, wrongToken)
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
    if (!states.take(state)) return refused(c, 403, wrongState)
    if (!CODE.test(code)) return refused(c, 400, wrongCode)
    try {
      const created = await fetchApp(code)
      await keep(created)
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
 * Nothing runs, and nobody frames the page. Where its form goes is left open: browsers hold that to redirects too, and GitHub may
 * send who has to sign in to another site. The address has the token in it, so GitHub is told the origin alone.
 */
const pageHeaders: Parameters<typeof secureHeaders>[0] = {
  contentSecurityPolicy: { defaultSrc: ["'none'"], baseUri: ["'none'"], frameAncestors: ["'none'"] },
  referrerPolicy: 'strict-origin',
  strictTransportSecurity: false,
}

/** At which the browser reaches this bot; a proxy that ends TLS says so. */
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
const wrongHost: Refusal = { message: 'The Host header is not a host', fix: beginAgain }
const wrongOrganization: Refusal = { message: 'That is not the name of an organization', fix: beginAgain }
const wrongState: Refusal = {
  message: 'This bot did not begin what GitHub has ended here, or it has been ended before',
  fix: beginAgain,
}
const wrongCode: Refusal = { message: 'GitHub’s answer has no code', fix: beginAgain }

/** Of one length, so that the comparison tells nothing. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}
