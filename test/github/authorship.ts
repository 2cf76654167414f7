/** Which App wrote a comment or a check run; emulate knows the actor but does not say the App. */
import { apps, type Installation, type InstalledApp, installations, type Permissions } from './accounts.ts'

export interface AppJson {
  readonly id: number
  readonly slug: string
  readonly name: string
}

export interface CommentJson {
  readonly id: number
  readonly body: string
  readonly user: { readonly login: string; readonly type: string }
  readonly performed_via_github_app: AppJson | null
}

/** Of anything that its `user` wrote. */
export function withApp<T extends { readonly user: { readonly login: string } }>(written: T) {
  const app = apps.find(({ slug }) => written.user.login === `${slug}[bot]`)
  return { ...written, performed_via_github_app: app === undefined ? null : appJson(app) }
}

export function appJson({ id, slug, name }: InstalledApp): AppJson {
  return { id, slug, name }
}

export interface Caller {
  readonly installation: Installation
  readonly permissions: Permissions
}

/** Installation tokens as they are issued, so that a call can be laid to its App and held to what was granted. */
export class IssuedTokens {
  readonly #callers = new Map<string, Caller>()

  record(token: string, installationId: number, permissions: Permissions): void {
    const installation = installations.find(({ id }) => id === installationId)
    if (installation !== undefined) this.#callers.set(token, { installation, permissions })
  }

  /** Behind an `authorization` header; undefined for a person, an App as itself, or nobody. */
  callerOf(authorization: string | undefined): Caller | undefined {
    return this.#callers.get(bearer(authorization))
  }

  /** The App that signed the JWT of an `authorization` header; the signature is emulate's to check. */
  appItself(authorization: string | undefined): InstalledApp | undefined {
    const [, claims] = bearer(authorization).split('.')
    if (claims === undefined) return undefined
    const { iss } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss?: unknown }
    return apps.find(({ id }) => String(id) === String(iss))
  }
}

function bearer(authorization: string | undefined): string {
  return authorization?.replace(/^(?:bearer|token) /i, '') ?? ''
}
