/** Comments on lines of a pull request; emulate takes them anywhere, GitHub only where the diff shows the line. */
import { personBehind } from './accounts.ts'
import { appJson } from './authorship.ts'
import { shownLines } from './differences.ts'
import {
  bodyOf,
  type Call,
  fullNameOf,
  type Gateway,
  notFound,
  numberOf,
  REPOSITORY,
  type Routes,
  refuseFields,
} from './gateway.ts'
import type { PullRequestJson, PullRequests } from './pull-requests.ts'

export interface ReviewCommentJson {
  readonly id: number
  readonly body: string
  readonly path: string
  readonly line: number
  readonly start_line: number | null
  readonly side: 'RIGHT'
  readonly commit_id: string
  readonly pull_request_review_id: number | null
  readonly user: { readonly login: string; readonly type: string }
  readonly performed_via_github_app: object | null
}

interface Draft {
  readonly body?: unknown
  readonly path?: unknown
  readonly line?: unknown
  readonly start_line?: unknown
  readonly side?: unknown
}

const FIRST_ID = 5_000_000

export function routeReviewComments(routes: Routes, gateway: Gateway, pullRequests: PullRequests): void {
  const desk = new ReviewDesk(gateway, pullRequests)
  routes.get(`${REPOSITORY}/pulls/:number/comments`, c => gateway.page(c, desk.commentsOf(c), items => items))
  routes.post(`${REPOSITORY}/pulls/:number/comments`, c => desk.comment(c))
  routes.patch(`${REPOSITORY}/pulls/comments/:id`, c => desk.rewrite(c))
  routes.delete(`${REPOSITORY}/pulls/comments/:id`, c => desk.withdraw(c))
  routes.post(`${REPOSITORY}/pulls/:number/reviews`, c => desk.review(c))
}

class ReviewDesk {
  readonly #gateway: Gateway
  readonly #pullRequests: PullRequests
  readonly #comments = new Map<string, ReviewCommentJson[]>()
  #written = 0

  constructor(gateway: Gateway, pullRequests: PullRequests) {
    this.#gateway = gateway
    this.#pullRequests = pullRequests
  }

  commentsOf(c: Call): readonly ReviewCommentJson[] {
    return this.#comments.get(keyOf(c)) ?? []
  }

  async comment(c: Call): Promise<Response> {
    const pull = await this.#pullRequests.get(fullNameOf(c), numberOf(c, 'number'))
    if (pull === undefined) return notFound()
    const draft = ((await bodyOf(c)) ?? {}) as Draft & { commit_id?: unknown }
    const refusal = await this.#refusalOf(pull, draft.commit_id, [draft])
    if (refusal !== undefined) return refuseFields('Validation Failed', [refusal])
    return c.json(this.#keep(c, draft, String(draft.commit_id ?? pull.head.sha), null), 201)
  }

  /** emulate keeps the review itself; what it says about lines is kept here. */
  async review(c: Call): Promise<Response> {
    const pull = await this.#pullRequests.get(fullNameOf(c), numberOf(c, 'number'))
    if (pull === undefined) return notFound()
    const { comments: drafts = [], ...review } = ((await bodyOf(c)) ?? {}) as {
      comments?: readonly Draft[]
      commit_id?: unknown
    }
    const refusal = await this.#refusalOf(pull, review.commit_id, drafts)
    if (refusal !== undefined) return refuseFields('Unprocessable Entity', [refusal])
    const kept = await this.#gateway.upstream.send(
      'POST',
      new URL(c.req.url).pathname,
      (c.req.header('authorization') ?? '').replace(/^\w+ /, ''),
      review,
    )
    if (!kept.ok) return kept
    const answered = (await kept.json()) as { id: number }
    for (const draft of drafts) this.#keep(c, draft, String(review.commit_id ?? pull.head.sha), answered.id)
    return c.json(answered, 200)
  }

  async rewrite(c: Call): Promise<Response> {
    const { body = '' } = ((await bodyOf(c)) ?? {}) as { body?: string }
    for (const [key, comments] of this.#comments) {
      const found = comments.find(({ id }) => id === numberOf(c, 'id'))
      if (found === undefined || !key.startsWith(`${fullNameOf(c)} `)) continue
      const rewritten = { ...found, body }
      this.#comments.set(key, comments.with(comments.indexOf(found), rewritten))
      return c.json(rewritten)
    }
    return notFound()
  }

  async withdraw(c: Call): Promise<Response> {
    for (const [key, comments] of this.#comments) {
      const left = comments.filter(({ id }) => id !== numberOf(c, 'id'))
      if (left.length === comments.length || !key.startsWith(`${fullNameOf(c)} `)) continue
      this.#comments.set(key, left)
      return c.body(null, 204)
    }
    return notFound()
  }

  async #refusalOf(pull: PullRequestJson, commitId: unknown, drafts: readonly Draft[]): Promise<string | undefined> {
    const files = await this.#pullRequests.changedFilesAt(pull, String(commitId ?? pull.head.sha))
    if (files === undefined) return 'commit_id is not part of the pull request'
    for (const { body, path, line, start_line: start = line } of drafts) {
      if (typeof body !== 'string' || body === '') return 'body is missing'
      const file = files.find(({ filename }) => filename === path)
      if (file === undefined) return 'Path could not be resolved'
      const shown = shownLines(file.patch ?? '')
      if (typeof line !== 'number' || typeof start !== 'number' || !shown.has(line) || !shown.has(start))
        return 'Line could not be resolved'
      if (start > line) return 'start_line must precede the end line'
    }
    return undefined
  }

  #keep(c: Call, draft: Draft, commitId: string, reviewId: number | null): ReviewCommentJson {
    const app = this.#gateway.tokens.callerOf(c.req.header('authorization'))?.installation.app
    const comment: ReviewCommentJson = {
      id: FIRST_ID + this.#written++,
      body: String(draft.body),
      path: String(draft.path),
      line: Number(draft.line),
      start_line: typeof draft.start_line === 'number' ? draft.start_line : null,
      side: 'RIGHT',
      commit_id: commitId,
      pull_request_review_id: reviewId,
      user:
        app === undefined
          ? { login: personBehind(c.req.header('authorization')).login, type: 'User' }
          : { login: `${app.slug}[bot]`, type: 'Bot' },
      performed_via_github_app: app === undefined ? null : appJson(app),
    }
    this.#comments.set(keyOf(c), [...this.commentsOf(c), comment])
    return comment
  }
}

function keyOf(c: Call): string {
  return `${fullNameOf(c)} ${c.req.param('number')}`
}
