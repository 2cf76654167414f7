/** What a job works with: an authenticated client and the repository it is about. */
import type { ProbotOctokit } from 'probot'
import type { Report, RepositorySettings, SourceFile } from '../engine/index.ts'

export type GitHub = InstanceType<typeof ProbotOctokit>

export interface Repository {
  readonly owner: string
  readonly repo: string
}

/** What a verdict hangs on besides the files. */
export interface Circumstances {
  readonly settings: RepositorySettings
  /** What a config held on the base branch; undefined where there was none. */
  readonly base: (path: string) => Promise<string | undefined>
}

export interface Work {
  readonly github: GitHub
  readonly repository: Repository
  /** Of this App; whatever another one wrote is left alone. */
  readonly appId: number
  readonly analyze: (files: readonly SourceFile[], circumstances: Circumstances) => Promise<Report>
}

export interface PullRequest {
  readonly number: number
  readonly baseSha: string
  readonly headSha: string
  readonly changedFiles: number
}

/** The pull request as it is now; undefined once it is closed. */
export async function openPullRequest({ github, repository }: Work, number: number): Promise<PullRequest | undefined> {
  const { data } = await github.rest.pulls.get({ ...repository, pull_number: number })
  if (data.state !== 'open') return undefined
  return { number, baseSha: data.base.sha, headSha: data.head.sha, changedFiles: data.changed_files }
}

export interface CommitHead {
  readonly headSha: string
  /** Of the branch, where the event names them; they save pages. */
  readonly owner?: string | undefined
  readonly branch?: string | null
}

/**
 * Numbers of the open pull requests whose newest commit this is. Asked of GitHub because payloads leave
 * `pull_requests` empty for forks.
 */
export async function pullRequestsAt({ github, repository }: Work, commit: CommitHead): Promise<number[]> {
  const { headSha, owner, branch } = commit
  const open = await github.paginate(github.rest.pulls.list, {
    ...repository,
    state: 'open',
    per_page: 100,
    ...(owner && branch ? { head: `${owner}:${branch}` } : {}),
  })
  return open.filter(pull => pull.head.sha === headSha).map(pull => pull.number)
}
