/** What a job works with: an authenticated client, its repository, the database and the engine. */
import type { Logger } from 'probot'
import type {
  AnalyzeOptions,
  Gpu,
  IsolatedEngine,
  Policy,
  Report,
  RepositorySettings,
  SourceFile,
  Sources,
} from '../engine/index.ts'
import type { Repository } from '../github/client.ts'
import type { KeptTexts } from '../github/kept-texts.ts'
import type { GitHub } from './installation.ts'
import type { Metrics } from './metrics.ts'
import type { RepositoryPlace } from './queue/jobs.ts'
import type { Queue } from './queue/queue.ts'
import type { Database } from './store/database.ts'

/** What a verdict depends on besides the files. */
export interface Circumstances {
  readonly settings: RepositorySettings
  readonly sources: Sources
  /** A file's text on the base branch; undefined if it did not exist. */
  readonly base: (path: string) => Promise<string | undefined>
  /** What the version files that the change touches said on the base branch. */
  readonly formerVersions?: NonNullable<AnalyzeOptions['formerVersions']>
  /** Milliseconds to compute all files; if absent, the limit for a pull request. */
  readonly totalMillis?: number
}

export type Analyze = (files: readonly SourceFile[], circumstances: Circumstances) => Promise<Report>

/** The operator's values for repositories whose settings have none. */
export interface Defaults {
  readonly gpu: Gpu | undefined
  readonly failOn: Policy['failOn'] | undefined
  /** Address of the playground that comments link to. */
  readonly playground: string | undefined
}

export interface Work {
  /** Refuses every request once the job has lost its lock or the bot stops. */
  readonly github: GitHub
  readonly place: RepositoryPlace
  /** The names of `place`, as the API takes them. */
  readonly repository: Repository
  /** Cached texts of this repository's files. */
  readonly kept: KeptTexts
  /** This App's id. What other Apps wrote is left alone. */
  readonly appId: number
  readonly analyze: Analyze
  /** Reads untrusted files under limits on time and memory. */
  readonly engine: IsolatedEngine
  /** Where models are looked up; undefined if the operator does not allow it. */
  readonly hub: Sources['hub']
  readonly defaults: Defaults
  readonly metrics: Pick<Metrics, 'verdict'>
  readonly database: Database
  readonly queue: Queue
  readonly log: Logger
  /** Path of the workflow whose reports are accepted if the team's settings name none. */
  readonly workflowPath: string
}

export interface PullRequest {
  readonly number: number
  /** Untrusted text. */
  readonly title: string
  readonly isOpen: boolean
  /** Undefined while it is not merged. */
  readonly mergedAt: Date | undefined
  readonly isFork: boolean
  readonly baseSha: string
  readonly baseRef: string
  readonly headSha: string
  readonly headRef: string
  /** `owner/name` of the head branch's repository; undefined if that was deleted. */
  readonly headRepository: string | undefined
  /** Login; undefined for a deleted account. */
  readonly author: string | undefined
  /** The author's relation to the repository, in GitHub's words. */
  readonly authorAssociation: string
  readonly changedFiles: number
}

/** The pull request as it is now. */
export async function readPullRequest({ github, repository }: Work, number: number): Promise<PullRequest> {
  const { data } = await github.rest.pulls.get({ ...repository, pull_number: number })
  // GitHub's types promise a repository, but a deleted fork has none.
  const head: { readonly full_name: string } | null = data.head.repo
  return {
    number,
    title: data.title,
    isOpen: data.state === 'open',
    mergedAt: data.merged_at === null ? undefined : new Date(data.merged_at),
    isFork: head?.full_name !== data.base.repo.full_name,
    baseSha: data.base.sha,
    baseRef: data.base.ref,
    headSha: data.head.sha,
    headRef: data.head.ref,
    headRepository: head?.full_name,
    author: data.user?.login,
    authorAssociation: data.author_association,
    changedFiles: data.changed_files,
  }
}

export interface CommitHead {
  readonly headSha: string
  /** The branch's place, if the event names it; saves listing pages of pull requests. */
  readonly owner?: string | undefined
  readonly branch?: string | null | undefined
}

/**
 * Numbers of the open pull requests whose newest commit this is. Asked from GitHub because webhooks leave
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
