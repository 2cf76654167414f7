/** The one comment on the pull request, kept up to date in place. */
import { commentMarker, materialOf, type Report, renderCheck, renderComment } from '../engine/index.ts'
import type { Repository } from '../github/client.ts'
import { requestStatus } from '../github/client.ts'
import type { GitHub } from './github.ts'

export const commentModes = ['auto', 'always', 'never'] as const
export type CommentMode = (typeof commentModes)[number]

export type CommentOutcome =
  | { readonly kind: 'created' | 'updated' | 'unchanged'; readonly url: string }
  /** The MemoryMark App already comments on this pull request. */
  | { readonly kind: 'left-to-app'; readonly url: string }
  /** There is no training config, and no earlier comment to update. */
  | { readonly kind: 'nothing-to-say' }
  /** There is no pull request, or the inputs turn comments off. */
  | { readonly kind: 'not-wanted' }
  | { readonly kind: 'not-permitted' }
  | { readonly kind: 'failed'; readonly message: string }

export interface CommentRequest {
  readonly repository: Repository
  readonly pullNumber: number
  readonly mode: Exclude<CommentMode, 'never'>
  readonly report: Report
  /** Paragraphs of Markdown on how the figures were obtained; none unless told. */
  readonly remarks?: readonly string[]
}

/** The author that GitHub shows for comments written with the job's own token. */
const jobTokenLogin = 'github-actions[bot]'

/** Never throws for an error from GitHub, because the verdict does not depend on the comment. */
export async function keepComment(github: GitHub, request: CommentRequest): Promise<CommentOutcome> {
  try {
    return await writeComment(github, request)
  } catch (error) {
    const status = requestStatus(error)
    if (status === undefined || !(error instanceof Error)) throw error
    return status === 403 && !isRateLimit(error)
      ? { kind: 'not-permitted' }
      : { kind: 'failed', message: error.message }
  }
}

async function writeComment(github: GitHub, request: CommentRequest): Promise<CommentOutcome> {
  const { repository, pullNumber, report, mode, remarks = [] } = request
  const { own, apps } = await findComments(github, request)
  if (mode === 'auto' && apps !== undefined) {
    // Deletes our comment if the App has one too, since two comments could disagree.
    if (own !== undefined) {
      await github.request('DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}', {
        ...repository,
        comment_id: own.id,
      })
    }
    return { kind: 'left-to-app', url: apps.html_url }
  }
  const material = `<!-- memorymark:material ${materialOf(report, remarks)} -->`
  const body = renderComment(report, { hiddenNote: material, remarks }) ?? withdrawn(report, remarks)
  if (own === undefined) {
    if (report.configs.length === 0) return { kind: 'nothing-to-say' }
    const { data } = await github.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
      ...repository,
      issue_number: pullNumber,
      body,
    })
    return { kind: 'created', url: data.html_url }
  }
  // Unchanged up to digits that nobody acts on, as after a repeated measurement.
  if (own.body?.includes(material) || sameText(own.body, body)) return { kind: 'unchanged', url: own.html_url }
  await github.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', {
    ...repository,
    comment_id: own.id,
    body,
  })
  return { kind: 'updated', url: own.html_url }
}

/** Checks the author too, since anybody can write the marker. */
async function findComments(github: GitHub, { repository, pullNumber }: CommentRequest) {
  const comments = await github.paginate('GET /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    ...repository,
    issue_number: pullNumber,
    per_page: 100,
  })
  const marked = comments.filter(comment => comment.body?.includes(commentMarker) === true)
  const by = (login: string | undefined) => marked.find(comment => comment.user?.login === login)
  const own = by(jobTokenLogin) ?? (marked.length > 0 ? by(await ownLogin(github)) : undefined)
  return { own, apps: marked.find(comment => comment.user?.type === 'Bot' && comment !== own) }
}

/** The login behind a token other than the job's own; undefined if GitHub does not tell. */
async function ownLogin(github: GitHub): Promise<string | undefined> {
  try {
    const { viewer } = await github.graphql<{ viewer: { login: string } }>('{ viewer { login } }')
    return viewer.login
  } catch (error) {
    const refused =
      requestStatus(error) !== undefined || (error instanceof Error && error.name === 'GraphqlResponseError')
    if (!refused) throw error
    return undefined
  }
}

/** The comment for a pull request that no longer changes training configs. */
function withdrawn(report: Report, remarks: readonly string[]): string {
  return `${commentMarker}\n${renderCheck(report, { remarks }).summary}`
}

/** GitHub stores CRLF from some clients, and trims the end. */
function sameText(stored: string | undefined, body: string): boolean {
  return stored?.replaceAll('\r\n', '\n').trimEnd() === body.trimEnd()
}

/** GitHub answers 403 for rate limits as well as for missing permissions. */
function isRateLimit(error: Error): boolean {
  return /rate limit/i.test(error.message)
}
