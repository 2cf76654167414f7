/** Checks before every route: host, token, origin. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import * as z from 'zod'
import type { Problem } from '../engine/base/errors.ts'
import { faultOf } from './fault.ts'

/** Open to this machine only, or to clients with the token. */
export type Access =
  /** `hostNames`: the names of this server. Any other `Host` header may come from a web page by DNS rebinding. */
  | { readonly kind: 'this-machine'; readonly hostNames: readonly string[] }
  | { readonly kind: 'token'; readonly token: string }

/** Long enough not to be guessed; only characters allowed in a header. */
export const apiToken = z
  .string()
  .min(16, 'At least 16 characters, for instance the output of `openssl rand -hex 32`')
  .regex(/^[\w.~+/=-]+$/, 'Only letters, digits and . _ ~ + / = -, which an HTTP header can carry')

/** Open to load balancers, which have no token; it reveals nothing of value. */
const openPaths: ReadonlySet<string> = new Set(['/health'])

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

export function checkAccess(access: Access): MiddlewareHandler {
  return async (context, next) => {
    switch (access.kind) {
      case 'this-machine':
        return isMeant(context, access.hostNames) ? next() : context.json(faultOf(otherHost), 403)
      case 'token':
        if (openPaths.has(context.req.path) || isToken(context.req.header('authorization'), access.token)) return next()
        // Basic besides Bearer, because browsers ask their user for it.
        context.header('www-authenticate', 'Bearer realm="memorymark", Basic realm="memorymark"')
        return context.json(faultOf(tokenNeeded), 401)
    }
  }
}

/** Refuses requests from other sites' pages, which could act in the user's name. */
export function checkOrigin(allowedOrigins: readonly string[]): MiddlewareHandler {
  return async (context, next) => {
    const origin = context.req.header('origin')
    const isOwn = origin === undefined || URL.parse(origin)?.host === context.req.header('host')
    if (readingMethods.has(context.req.method) || isOwn || allowedOrigins.includes(origin)) return next()
    return context.json(faultOf(otherOrigin), 403)
  }
}

/** Checks the host in the header, and in the URL if that is absolute, as proxies receive it. */
function isMeant({ req }: Context, hostNames: readonly string[]): boolean {
  const named = URL.parse(`http://${req.header('host') ?? ''}`)?.hostname
  const addressed = URL.parse(req.url)?.hostname
  return [named, addressed].every(name => name !== undefined && hostNames.includes(name))
}

function isToken(authorization: string | undefined, token: string): boolean {
  const [, scheme, credentials = ''] = /^(Bearer|Basic) +([\w.~+/=-]+)$/i.exec(authorization ?? '') ?? []
  if (scheme === undefined) return false
  const given = scheme.toLowerCase() === 'bearer' ? credentials : passwordIn(credentials)
  return timingSafeEqual(digest(given), digest(token))
}

/** Any user name. */
function passwordIn(credentials: string): string {
  const decoded = Buffer.from(credentials, 'base64').toString('utf8')
  return decoded.slice(decoded.indexOf(':') + 1)
}

/** Compares hashes of equal length, so that timing reveals nothing. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

const otherHost: Problem = {
  code: 'other-host',
  message: 'this server is for this machine only, but was addressed by another host name',
  fix: 'Use http://localhost, or start the server with --host and a token.',
}

const tokenNeeded: Problem = {
  code: 'token-needed',
  message: 'this server requires its token',
  fix: 'Send `Authorization: Bearer <token>`; a browser asks for it as the password, with any user name.',
}

const otherOrigin: Problem = {
  code: 'other-origin',
  message: 'pages from another site may not call this server',
  fix: 'Start the server with --allow-origin and the origin of that page.',
}
