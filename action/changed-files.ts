/** Which files of the repository the subject is about. */
import type { Subject } from './event.ts'
import type { GitHub, Repository } from './github.ts'
import { differingPaths, readTree } from './tree.ts'

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
  subject: Exclude<Subject, { kind: 'deleted-branch' }>,
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
  const { data: comparison } = await github.rest.repos.compareCommitsWithBasehead({
    ...repository,
    basehead: `${pull.baseSha}...${pull.headSha}`,
    per_page: 1,
  })
  const between = await filesBetween(github, repository, comparison.merge_base_commit.sha, pull.headSha)
  const remark = `GitHub lists only ${listed.length} of the pull request's ${pull.changedFiles} changed files, so its tree was compared with that of its base instead.`
  return { ...between, remarks: [remark, ...between.remarks] }
}

/** Compares trees, not the compare API's file list: that stops at 300 files without saying so. */
async function filesBetween(
  github: GitHub,
  repository: Repository,
  baseSha: string,
  headSha: string,
): Promise<ChangedFiles> {
  const base = await readTree(github, repository, baseSha)
  const head = await readTree(github, repository, headSha)
  return { paths: differingPaths(base, head), formerPaths: new Map(), remarks: [...base.remarks, ...head.remarks] }
}
