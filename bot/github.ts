/** What a job works with: an authenticated client, the repository it is about, and what is stored. */
import type { Logger, ProbotOctokit } from 'probot'
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
import type { Metrics } from './metrics.ts'
import type { RepositoryPlace } from './queue/jobs.ts'
import type { Queue } from './queue/queue.ts'
import type { Database } from './store/database.ts'

export type GitHub = InstanceType<typeof ProbotOctokit>

/** What a verdict hangs on besides the files. */
export interface Circumstances {
  readonly settings: RepositorySettings
  readonly sources: Sources
  /** What a file held on the base branch; undefined where there was none. */
  readonly base: (path: string) => Promise<string | undefined>
  /** What the files that pin versions said there, of those that the change touches. */
  readonly formerVersions?: NonNullable<AnalyzeOptions['formerVersions']>
  /** Computing time for all of the files, where it is not that of a pull request. */
  readonly totalMillis?: number
}

export type Analyze = (files: readonly SourceFile[], circumstances: Circumstances) => Promise<Report>

/** The operator's word, for repositories whose own settings have none. */
export interface Defaults {
  readonly gpu: Gpu | undefined
  readonly failOn: Policy['failOn'] | undefined
}

export interface Work {
  /** Refuses every request once the job has lost its hold or the bot stops. */
  readonly github: GitHub
  readonly place: RepositoryPlace
  /** The names of `place`, as the API takes them. */
  readonly repository: Repository
  /** Texts of this repository that were read before. */
  readonly kept: KeptTexts
  /** Of this App; whatever another one wrote is left alone. */
  readonly appId: number
  readonly analyze: Analyze
  /** Reads what strangers wrote, under limits on time and memory. */
  readonly engine: IsolatedEngine
  /** Where models are looked up; undefined where the operator does not let us. */
  readonly hub: Sources['hub']
  readonly defaults: Defaults
  readonly metrics: Pick<Metrics, 'verdict'>
  readonly database: Database
  readonly queue: Queue
  readonly log: Logger
  /** Path of the workflow whose reports are taken where the team's settings name none. */
  readonly workflowPath: string
}

export interface PullRequest {
  readonly number: number
  /** Somebody's word. */
  readonly title: string
  readonly isOpen: boolean
  /** Undefined while it is not merged. */
  readonly mergedAt: Date | undefined
  readonly isFork: boolean
  readonly baseSha: string
  readonly baseRef: string
  readonly headSha: string
  readonly headRef: string
  /** `owner/name` of where the head's branch is; undefined for a fork that is gone. */
  readonly headRepository: string | undefined
  /** Login; undefined for an account that is gone. */
  readonly author: string | undefined
  /** What the author is to the repository, in GitHub's words. */
  readonly authorAssociation: string
  readonly changedFiles: number
}

/** The pull request as it is now. */
export async function readPullRequest({ github, repository }: Work, number: number): Promise<PullRequest> {
  const { data } = await github.rest.pulls.get({ ...repository, pull_number: number })
  // The types promise a repository, but that of a fork may be gone.
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
  /** Of the branch, where the event names them; they save pages. */
  readonly owner?: string | undefined
  readonly branch?: string | null | undefined
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
