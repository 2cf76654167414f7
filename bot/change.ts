/** What a pull request, a merge group or the default branch holds, read as every part of the bot reads it. */
import type { Sources } from '../engine/index.ts'
import { type Change, openChange, type ReadChange } from '../github/change.ts'
import type { PullRequest, Work } from './github.ts'

export function changeOfPull(work: Work, { number, baseSha, headSha, changedFiles }: PullRequest): Change {
  return openChange(
    work.github,
    work.repository,
    { kind: 'pull-request', number, baseSha, headSha, changedFiles },
    work,
  )
}

export function changeBetween(work: Work, baseSha: string, headSha: string): Change {
  return openChange(work.github, work.repository, { kind: 'commits', baseSha, headSha }, work)
}

export function everythingAt(work: Work, headSha: string): Change {
  return openChange(work.github, work.repository, { kind: 'tree', headSha }, work)
}

/** What configs name may stand in their own repository, or on the Hub where the operator lets us ask it. */
export function sourcesOf(
  { hub }: Work,
  { readFile, listFolder }: Pick<ReadChange, 'readFile' | 'listFolder'>,
): Sources {
  return { readFile, listFolder, ...(hub && { hub }) }
}
