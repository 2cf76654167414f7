/**
 * Reads the content of a pull request, a merge group or the default branch, in the one way that all of the bot uses.
 */
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

/**
 * Where models and files named by configs are looked up: their own repository, and the Hub if the operator allows it.
 */
export function sourcesOf(
  { hub }: Work,
  { readFile, listFolder }: Pick<ReadChange, 'readFile' | 'listFolder'>,
): Sources {
  return { readFile, listFolder, ...(hub && { hub }) }
}
