/** Completes an event's pull request by asking GitHub. */

import type { Repository } from '../github/client.ts'
import { type EventSubject, type Subject, short } from './event.ts'
import type { GitHub } from './github.ts'

export type ResolvedSubject =
  | { readonly kind: 'found'; readonly subject: Subject }
  /** `why`: a sentence. */
  | { readonly kind: 'nothing-to-look-at'; readonly why: string }

export async function resolveSubject(
  github: GitHub,
  repository: Repository,
  subject: EventSubject,
): Promise<ResolvedSubject> {
  switch (subject.kind) {
    case 'deleted-branch':
      return { kind: 'nothing-to-look-at', why: 'The branch is deleted: there is nothing to check.' }
    case 'named-pull-request':
      return namedPullRequest(github, repository, subject)
    default:
      return { kind: 'found', subject }
  }
}

/** Skips a commit that is no longer the newest: its run would overwrite the comment of the newer one. */
async function namedPullRequest(
  github: GitHub,
  repository: Repository,
  { number, headSha }: Extract<EventSubject, { kind: 'named-pull-request' }>,
): Promise<ResolvedSubject> {
  const { data } = await github.request('GET /repos/{owner}/{repo}/pulls/{pull_number}', {
    ...repository,
    pull_number: number,
  })
  const { head, base } = data
  if (headSha !== undefined && headSha !== head.sha) {
    const why = `Pull request #${number} has moved on from ${short(headSha)} to ${short(head.sha)}: the older commit is not checked.`
    return { kind: 'nothing-to-look-at', why }
  }
  return {
    kind: 'found',
    subject: {
      kind: 'pull-request',
      number,
      baseSha: base.sha,
      headSha: head.sha,
      changedFiles: data.changed_files,
      isFork: head.repo?.full_name !== base.repo.full_name,
    },
  }
}
