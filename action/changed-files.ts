/** Which files of the repository the subject is about. */
import { type Subject, short } from './event.ts'
import type { GitHub } from './github.ts'
import type { Repository } from './repository.ts'
import { requestStatus } from './request-status.ts'
import { differingPaths, readTree, renamedPaths, type Tree } from './tree.ts'

export interface ChangedFiles {
  /** Files that exist at the head; deleted ones are left out and renamed ones have their new name. */
  readonly paths: readonly string[]
  /** Former paths of renamed files, by their new ones, as far as GitHub tells. */
  readonly formerPaths: ReadonlyMap<string, string>
  /** What the reader must know about how the list came to be, one sentence each. */
  readonly remarks: readonly string[]
}

export async function findChangedFiles(
  github: GitHub,
  repository: Repository,
  subject: Subject,
): Promise<ChangedFiles> {
  switch (subject.kind) {
    case 'pull-request':
      return filesOfPullRequest(github, repository, subject)
    case 'commits':
      return filesBetween(github, repository, subject.baseSha, subject.headSha)
    case 'tree': {
      const { blobs, remarks } = await readTree(github, repository, subject.headSha)
      return { paths: [...blobs.keys()], formerPaths: new Map(), remarks }
    }
  }
}

async function filesOfPullRequest(
  github: GitHub,
  repository: Repository,
  pull: Extract<Subject, { kind: 'pull-request' }>,
): Promise<ChangedFiles> {
  const listed = await github.paginate(github.rest.pulls.listFiles, {
    ...repository,
    pull_number: pull.number,
    per_page: 100,
  })
  if (listed.length >= pull.changedFiles) {
    const present = listed.filter(file => file.status !== 'removed')
    const renamed = present.flatMap(({ filename, previous_filename: former }) =>
      former === undefined ? [] : [[filename, former] as const],
    )
    return { paths: present.map(file => file.filename), formerPaths: new Map(renamed), remarks: [] }
  }
  const cut = `GitHub lists only ${listed.length} of the pull request's ${pull.changedFiles} changed files, so its tree was compared with its base's tree instead.`
  const mergeBaseSha = await findMergeBase(github, repository, pull)
  const between = await filesBetween(github, repository, mergeBaseSha, pull.headSha)
  return { ...between, remarks: [cut, ...between.remarks] }
}

/** The base itself where GitHub cannot compare the two. */
async function findMergeBase(
  github: GitHub,
  repository: Repository,
  { baseSha, headSha }: Extract<Subject, { kind: 'pull-request' }>,
): Promise<string> {
  try {
    const basehead = `${baseSha}...${headSha}`
    const { data } = await github.rest.repos.compareCommitsWithBasehead({ ...repository, basehead, per_page: 1 })
    return data.merge_base_commit.sha
  } catch (error) {
    if (!isUnknownCommit(error)) throw error
    return baseSha
  }
}

/** Compares trees, not the compare API's file list: that stops at 300 files without saying so. */
async function filesBetween(
  github: GitHub,
  repository: Repository,
  baseSha: string,
  headSha: string,
): Promise<ChangedFiles> {
  const head = await readTree(github, repository, headSha)
  const base = await readBaseTree(github, repository, baseSha)
  if (base === undefined) {
    const lost = `Commit ${short(baseSha)}, the one to compare with, is gone (a force-push removes it), so every file at ${short(headSha)} is checked.`
    return { paths: [...head.blobs.keys()], formerPaths: new Map(), remarks: [lost, ...head.remarks] }
  }
  return {
    paths: differingPaths(base, head),
    formerPaths: renamedPaths(base, head),
    remarks: [...base.remarks, ...head.remarks],
  }
}

/** Undefined where GitHub no longer has the commit. */
async function readBaseTree(github: GitHub, repository: Repository, commitSha: string): Promise<Tree | undefined> {
  try {
    return await readTree(github, repository, commitSha)
  } catch (error) {
    if (!isUnknownCommit(error)) throw error
    return undefined
  }
}

/** GitHub answers 404 for most commits that it does not have, and 422 for some. */
function isUnknownCommit(error: unknown): boolean {
  const status = requestStatus(error)
  return status === 404 || status === 422
}
