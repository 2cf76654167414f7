/** The one comment on a pull request, updated in place. */
import { commentMarker, nothingToMeasure } from '../engine/index.ts'
import type { Work } from './github.ts'

/** Replaces an earlier verdict when a push takes the last training config out of the pull request. */
const nothingLeft = `${commentMarker}\n\n### MemoryMark\n\n${nothingToMeasure}.`

/**
 * `body`: undefined if there is nothing to measure; an existing comment is then updated, but none is created. Makes at
 * most one write. Returns false while there is still more than one comment.
 */
export async function keepComment(work: Work, pullNumber: number, body: string | undefined): Promise<boolean> {
  const { github, repository } = work
  const [own, ...others] = await ownComments(work, pullNumber)
  const extra = others.at(-1)
  if (extra !== undefined) {
    await github.rest.issues.deleteComment({ ...repository, comment_id: extra.id })
    return false
  }
  if (own === undefined) {
    if (body !== undefined) await github.rest.issues.createComment({ ...repository, issue_number: pullNumber, body })
    return true
  }
  const next = body ?? nothingLeft
  if (own.body !== next) await github.rest.issues.updateComment({ ...repository, comment_id: own.id, body: next })
  return true
}

/**
 * The App's comments with the marker, oldest first; several if the response to a first attempt was lost. The author is
 * checked too, since anyone can write the marker.
 */
async function ownComments({ github, repository, appId }: Work, pullNumber: number) {
  const comments = await github.paginate(github.rest.issues.listComments, {
    ...repository,
    issue_number: pullNumber,
    per_page: 100,
  })
  return comments.filter(
    comment => comment.performed_via_github_app?.id === appId && comment.body?.includes(commentMarker) === true,
  )
}
