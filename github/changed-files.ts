/** Lists the files that a pull request changes, or that differ between two commits. */
import * as z from 'zod'
import { type GitHubClient, isUnknownCommit, type Repository } from './client.ts'
import type { CommitFiles } from './commit-files.ts'
import { differingPaths, removedPaths, renamedPaths, type Tree } from './tree.ts'

export type Subject =
  | {
      readonly kind: 'pull-request'
      readonly number: number
      readonly baseSha: string
      readonly headSha: string
      /** GitHub's count. */
      readonly changedFiles: number
    }
  /** The range between two commits, as in a push or a merge group. */
  | { readonly kind: 'commits'; readonly baseSha: string; readonly headSha: string }
  /** All files at a commit. */
  | { readonly kind: 'tree'; readonly headSha: string }

export interface ChangedFiles {
  /** Files that exist at the head; deleted ones are left out and renamed ones have their new name. */
  readonly paths: readonly string[]
  /** Base paths that no longer exist at the head: deleted files, and renamed ones by their former names. */
  readonly removed: readonly string[]
  /** Former paths of renamed files by their new paths, as far as GitHub tells. */
  readonly formerPaths: ReadonlyMap<string, string>
  /** Diff hunks by path, where GitHub shows them. */
  readonly patches: ReadonlyMap<string, string>
  /** Whether a file was changed, renamed or deleted; true if unknown. */
  readonly touches: (path: string) => boolean
  /** Sentences for the reader on how the list was obtained. */
  readonly remarks: readonly string[]
}

/** The repository and the commits of a change. */
export interface Commits {
  readonly client: GitHubClient
  readonly repository: Repository
  at(commitSha: string): CommitFiles
}

export async function findChangedFiles(commits: Commits, subject: Subject): Promise<ChangedFiles> {
  switch (subject.kind) {
    case 'pull-request':
      return filesOfPullRequest(commits, subject)
    case 'commits':
      return filesBetween(commits, subject.baseSha, subject.headSha)
    case 'tree':
      return everythingAt(commits.at(subject.headSha))
  }
}

type PullRequest = Extract<Subject, { kind: 'pull-request' }>

/** GitHub lists at most this many files of a pull request. */
const MAX_LISTED = 3_000
const PAGE = 100

async function filesOfPullRequest(commits: Commits, pull: PullRequest): Promise<ChangedFiles> {
  const listed = pull.changedFiles > MAX_LISTED ? [] : await listFiles(commits, pull)
  if (listed.length >= pull.changedFiles) return asListed(listed)
  const cut = `GitHub lists only ${listed.length === 0 ? MAX_LISTED : listed.length} of the pull request's ${pull.changedFiles} changed files, so its tree was compared with its base's tree instead.`
  const between = await filesBetween(commits, await findMergeBase(commits, pull), pull.headSha)
  return { ...between, remarks: [cut, ...between.remarks] }
}

const listedFile = z.object({
  filename: z.string(),
  status: z.string(),
  previous_filename: z.string().optional(),
  patch: z.string().optional(),
})
type ListedFile = z.infer<typeof listedFile>

async function listFiles(
  { client, repository }: Commits,
  { number, changedFiles }: PullRequest,
): Promise<readonly ListedFile[]> {
  const all: ListedFile[] = []
  for (let page = 1; page <= MAX_LISTED / PAGE; page += 1) {
    const { data } = await client.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', {
      ...repository,
      pull_number: number,
      per_page: PAGE,
      page,
    })
    const files = z.array(listedFile).parse(data)
    all.push(...files)
    if (files.length < PAGE || all.length === changedFiles) break
  }
  return all
}

function asListed(listed: readonly ListedFile[]): ChangedFiles {
  const present = listed.filter(({ status }) => status !== 'removed')
  const removed = listed.flatMap(({ filename, status, previous_filename: former }) =>
    status === 'removed' ? [filename] : status === 'renamed' && former !== undefined ? [former] : [],
  )
  const touched = new Set(listed.flatMap(file => [file.filename, file.previous_filename ?? file.filename]))
  return {
    paths: present.map(({ filename }) => filename),
    removed,
    formerPaths: new Map(
      present.flatMap(({ filename, previous_filename: former }) => (former === undefined ? [] : [[filename, former]])),
    ),
    patches: new Map(present.flatMap(({ filename, patch }) => (patch === undefined ? [] : [[filename, patch]]))),
    touches: path => touched.has(path),
    remarks: [],
  }
}

const comparison = z.object({ merge_base_commit: z.object({ sha: z.string() }) })

/** The merge base of the pull request; its base if GitHub cannot compare the two. */
async function findMergeBase({ client, repository }: Commits, { baseSha, headSha }: PullRequest): Promise<string> {
  try {
    const { data } = await client.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
      ...repository,
      basehead: `${baseSha}...${headSha}`,
      per_page: 1,
    })
    return comparison.parse(data).merge_base_commit.sha
  } catch (error) {
    if (!isUnknownCommit(error)) throw error
    return baseSha
  }
}

/** Compares trees instead of using the compare API, whose file list silently stops at 300. */
async function filesBetween(commits: Commits, baseSha: string, headSha: string): Promise<ChangedFiles> {
  const at = commits.at(headSha)
  const before = commits.at(baseSha)
  if (!(await before.exists())) {
    const everything = await everythingAt(at)
    const lost = `Commit ${short(baseSha)}, the one to compare with, is gone (a force-push removes it), so every file at ${short(headSha)} is checked.`
    return { ...everything, touches: () => true, remarks: [lost, ...everything.remarks] }
  }
  const [base, head] = [await before.tree(), await at.tree()]
  const paths = differingPaths(base, head)
  const formerPaths = renamedPaths(base, head)
  const removed = removedPaths(base, head)
  const touched = new Set([...paths, ...removed])
  return {
    paths,
    removed: [...removed],
    formerPaths,
    patches: new Map(),
    touches: path => base.isCut || head.isCut || touched.has(path),
    remarks: [...remarkOn(baseSha, base), ...remarkOn(headSha, head)],
  }
}

async function everythingAt(files: CommitFiles): Promise<ChangedFiles> {
  const tree = await files.tree()
  return {
    paths: [...tree.entries.keys()],
    removed: [],
    formerPaths: new Map(),
    patches: new Map(),
    touches: path => tree.isCut || tree.entries.has(path),
    remarks: remarkOn(files.commitSha, tree),
  }
}

/** None of a list that GitHub did not cut. `which`: what is said of configs that are not found, if not all are meant. */
export function remarkOn(commitSha: string, { entries, isCut }: Tree, which = ''): string[] {
  if (!isCut) return []
  return [
    `GitHub lists only the first ${entries.size} files of commit ${short(commitSha)}; configs beyond them${which} are not checked.`,
  ]
}

/** The abbreviated SHA, as GitHub shows it. */
function short(commitSha: string): string {
  return commitSha.slice(0, 7)
}
