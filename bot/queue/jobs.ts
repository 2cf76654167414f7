/** The kinds of jobs. A job only says where to look; its facts are read from GitHub when it runs. */
import * as z from 'zod'
import { commandRequest } from '../commands/request.ts'
import { suggestion } from '../suggestions/suggestion.ts'

const id = z.number().int().positive()
const sha = z.string().regex(/^[0-9a-f]{40,64}$/)
/** As GitHub lets accounts and repositories be named. */
const name = z.string().regex(/^[\w.-]{1,100}$/)

/** A repository: ids, which never change, and its names when the job was made. */
const repositoryPlace = z.object({ installationId: id, repositoryId: id, owner: name, repo: name })
export type RepositoryPlace = z.infer<typeof repositoryPlace>

/** Update a pull request's check and comment. */
const pullRequestJob = repositoryPlace.extend({ kind: z.literal('pull-request'), number: id })
/** Update the pull requests whose newest commit this is. */
const commitJob = repositoryPlace.extend({
  kind: z.literal('commit'),
  headSha: sha,
  /** The branch's place, if the event names it; saves listing pages of pull requests. */
  headOwner: name.optional(),
  headBranch: z.string().max(1_000).optional(),
})
/** Find the pull request of a workflow run and update it. */
const runJob = repositoryPlace.extend({ kind: z.literal('run'), runId: id })
/** Check a merge group. */
const mergeGroupJob = repositoryPlace.extend({
  kind: z.literal('merge-group'),
  headSha: sha,
  baseSha: sha,
  /** The pull request that the group adds to the queue, if its branch name has it. */
  pullNumber: id.optional(),
})
/** Start the measuring workflow for a commit of a pull request. */
const dispatchJob = repositoryPlace.extend({ kind: z.literal('dispatch'), number: id, headSha: sha })
/** End the check of a commit that is no longer the newest. */
const supersededJob = repositoryPlace.extend({ kind: z.literal('superseded'), headSha: sha, checkRunId: id })
/** Carry out a command in a comment. */
const commandJob = commandRequest.extend({ kind: z.literal('command') })
/** Post suggestions on lines of the diff, as rendered for this commit. */
const suggestJob = repositoryPlace.extend({
  kind: z.literal('suggest'),
  number: id,
  headSha: sha,
  suggestions: z.array(suggestion).max(20),
})
/** Enter a merged pull request in the ledger. */
const mergedJob = repositoryPlace.extend({ kind: z.literal('merged'), number: id })
/** Survey the default branch, and update its report if due. */
const surveyJob = repositoryPlace.extend({ kind: z.literal('survey'), isReportDue: z.boolean() })
/** Schedule the repository's report as its settings say. */
const scheduleJob = repositoryPlace.extend({ kind: z.literal('schedule') })
/** The App was uninstalled from an account. */
const departureJob = z.object({ kind: z.literal('departure'), installationId: id })
/** Delete old data and that of uninstalled accounts, and refresh the schedules. */
const housekeepingJob = z.object({ kind: z.literal('housekeeping') })
/** Enforce deadlines. */
const deadlinesJob = z.object({ kind: z.literal('deadlines') })
/** Have webhooks delivered again that were lost within the last minutes. */
const redeliveryJob = z.object({ kind: z.literal('redelivery') })
/** Compare with GitHub, to find work whose webhooks were lost. */
const reconcileJob = z.object({ kind: z.literal('reconcile'), scope: z.enum(['active', 'all']) })

export const job = z.discriminatedUnion('kind', [
  pullRequestJob,
  commitJob,
  runJob,
  mergeGroupJob,
  dispatchJob,
  supersededJob,
  commandJob,
  suggestJob,
  mergedJob,
  surveyJob,
  scheduleJob,
  departureJob,
  housekeepingJob,
  deadlinesJob,
  redeliveryJob,
  reconcileJob,
])
export type Job = z.infer<typeof job>
export type JobOf<K extends Job['kind']> = Extract<Job, { kind: K }>

/**
 * The job's subject. Jobs with the same key are merged while waiting, and never run at the same time, over all
 * replicas.
 */
export function keyOf(job: Job): string {
  switch (job.kind) {
    case 'pull-request':
      return `${job.repositoryId}/pull/${job.number}`
    case 'commit':
      return `${job.repositoryId}/commit/${job.headSha}`
    case 'run':
      return `${job.repositoryId}/run/${job.runId}`
    case 'merge-group':
      return `${job.repositoryId}/group/${job.headSha}`
    case 'dispatch':
      return `${job.repositoryId}/dispatch/${job.number}/${job.headSha}`
    case 'superseded':
      return `${job.repositoryId}/check/${job.checkRunId}`
    case 'command':
      return `${job.repositoryId}/comment/${job.commentId}`
    case 'suggest':
      return `${job.repositoryId}/suggest/${job.number}/${job.headSha}`
    case 'merged':
      return `${job.repositoryId}/merged/${job.number}`
    case 'survey':
      return `${job.repositoryId}/survey/${job.isReportDue ? 'report' : 'look'}`
    case 'schedule':
      return `${job.repositoryId}/schedule`
    case 'departure':
      return `departure/${job.installationId}`
    case 'reconcile':
      return `reconcile/${job.scope}`
    case 'housekeeping':
    case 'deadlines':
    case 'redelivery':
      return job.kind
  }
}

/** The installation that the job counts towards; undefined for our own housekeeping. */
export function installationOf(job: Job): number | undefined {
  switch (job.kind) {
    case 'housekeeping':
    case 'departure':
    case 'deadlines':
    case 'redelivery':
    case 'reconcile':
      return undefined
    case 'pull-request':
    case 'commit':
    case 'run':
    case 'merge-group':
    case 'dispatch':
    case 'superseded':
    case 'command':
    case 'suggest':
    case 'merged':
    case 'survey':
    case 'schedule':
      return job.installationId
  }
}

/** The higher, the sooner a waiting job is taken. Every pull request behind a merge group waits for its check. */
export function priorityOf(job: Job): number {
  return job.kind === 'merge-group' ? 1 : 0
}
