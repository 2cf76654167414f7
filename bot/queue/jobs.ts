/** The work there is. What a job carries says where to look; what is true is asked of GitHub when it runs. */
import * as z from 'zod'
import { commandRequest } from '../commands/request.ts'
import { suggestion } from '../suggestions/suggestion.ts'

const id = z.number().int().positive()
const sha = z.string().regex(/^[0-9a-f]{40,64}$/)
/** As GitHub lets accounts and repositories be named. */
const name = z.string().regex(/^[\w.-]{1,100}$/)

/** A repository, by what never changes and by the names it had when the job was made. */
export const repositoryPlace = z.object({ installationId: id, repositoryId: id, owner: name, repo: name })
export type RepositoryPlace = z.infer<typeof repositoryPlace>

/** Bring a pull request up to date. */
const pullRequestJob = repositoryPlace.extend({ kind: z.literal('pull-request'), number: id })
/** Bring those pull requests up to date whose newest commit this is. */
const commitJob = repositoryPlace.extend({
  kind: z.literal('commit'),
  headSha: sha,
  /** Of the branch, where the event names them; they save pages. */
  headOwner: name.optional(),
  headBranch: z.string().max(1_000).optional(),
})
/** Find out what a workflow run was for, and bring that up to date. */
const runJob = repositoryPlace.extend({ kind: z.literal('run'), runId: id })
/** Answer a merge queue. */
const mergeGroupJob = repositoryPlace.extend({
  kind: z.literal('merge-group'),
  headSha: sha,
  baseSha: sha,
  /** The pull request that the group adds to the queue, where its branch names it. */
  pullNumber: id.optional(),
})
/** Start the measuring workflow for a commit of a pull request. */
const dispatchJob = repositoryPlace.extend({ kind: z.literal('dispatch'), number: id, headSha: sha })
/** End a check that a newer commit has left behind. */
const supersededJob = repositoryPlace.extend({ kind: z.literal('superseded'), headSha: sha, checkRunId: id })
/** Do what a comment asks. */
const commandJob = commandRequest.extend({ kind: z.literal('command') })
/** Suggest changes on lines of the diff, as they were rendered for that commit. */
const suggestJob = repositoryPlace.extend({
  kind: z.literal('suggest'),
  number: id,
  headSha: sha,
  suggestions: z.array(suggestion).max(20),
})
/** Enter a merged pull request in the ledger. */
const mergedJob = repositoryPlace.extend({ kind: z.literal('merged'), number: id })
/** Look at the default branch, and report on it where that is due. */
const surveyJob = repositoryPlace.extend({ kind: z.literal('survey'), isReportDue: z.boolean() })
/** See to it that the report comes when the team wants it. */
const scheduleJob = repositoryPlace.extend({ kind: z.literal('schedule') })
/** The App was taken out of an account. */
const departureJob = z.object({ kind: z.literal('departure'), installationId: id })
/** Forget what is old or whose owner has left, and look after every repository's schedule. */
const housekeepingJob = z.object({ kind: z.literal('housekeeping') })
/** End what would hang. */
const sweepJob = z.object({ kind: z.literal('sweep') })
/** Compare with GitHub, so that lost webhooks are made good. */
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
  sweepJob,
  reconcileJob,
])
export type Job = z.infer<typeof job>
export type JobOf<K extends Job['kind']> = Extract<Job, { kind: K }>

/** What a job is about. Jobs with the same key are one while they wait, and never run at once, over all replicas. */
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
    case 'sweep':
      return job.kind
  }
}

/** Whose share of the workers it takes; undefined for our own housekeeping. */
export function installationOf(job: Job): number | undefined {
  switch (job.kind) {
    case 'housekeeping':
    case 'departure':
    case 'sweep':
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
