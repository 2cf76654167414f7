/** Which App wrote a comment or a check run; emulate knows the actor but does not say the App. */
import { apps, type InstalledApp } from './accounts.ts'

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

export function withApp(comment: CommentJson): CommentJson {
  const app = apps.find(({ slug }) => comment.user.login === `${slug}[bot]`)
  return { ...comment, performed_via_github_app: app === undefined ? null : appJson(app) }
}

export function appJson({ id, slug, name }: InstalledApp): AppJson {
  return { id, slug, name }
}

/** Installation tokens as they are issued, so that a write can be laid to its App. */
export class IssuedTokens {
  readonly #apps = new Map<string, InstalledApp>()

  record(token: string, installationId: number): void {
    const app = apps.find(candidate => candidate.installationId === installationId)
    if (app !== undefined) this.#apps.set(token, app)
  }

  /** The App behind an `authorization` header; undefined for a person or nobody. */
  appOf(authorization: string | undefined): InstalledApp | undefined {
    return this.#apps.get(authorization?.replace(/^(?:bearer|token) /i, '') ?? '')
  }
}
