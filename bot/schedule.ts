/** From a webhook to jobs in the queue: each delivery once, one job at a time per pull request. */
import type { Context } from 'probot'
import type { Deliveries } from './deliveries.ts'
import { type CommitHead, pullRequestsAt, type Work } from './github.ts'
import type { SerialQueue } from './queue.ts'

export interface Scheduler {
  readonly appId: number
  readonly analyze: Work['analyze']
  readonly queue: SerialQueue
  readonly deliveries: Deliveries
}

/** The events that are worked on; all of them carry a repository. */
export type WorkContext = Context<'pull_request' | 'check_run' | 'check_suite' | 'workflow_run'>

export type Job = (work: Work) => Promise<void>

export function scheduleForPull(scheduler: Scheduler, context: WorkContext, pullNumber: number, job: Job): void {
  if (!scheduler.deliveries.claim(context.id)) return
  enqueue(scheduler, context, `pull request ${pullNumber}`, job)
}

/** For events that name a commit: asks GitHub which open pull requests have it as their head. */
export function scheduleForCommit(
  scheduler: Scheduler,
  context: WorkContext,
  head: CommitHead,
  job: (work: Work, pullNumber: number) => Promise<void>,
): void {
  if (!scheduler.deliveries.claim(context.id)) return
  enqueue(scheduler, context, `commit ${head.headSha}`, async work => {
    for (const pullNumber of await pullRequestsAt(work, head)) {
      enqueue(scheduler, context, `pull request ${pullNumber}`, inner => job(inner, pullNumber))
    }
  })
}

function enqueue(
  { queue, deliveries, appId, analyze }: Scheduler,
  context: WorkContext,
  subject: string,
  job: Job,
): void {
  const { owner, name: repo } = context.payload.repository
  const repository = { owner: owner.login, repo }
  const work: Work = { github: context.octokit, repository, appId, analyze }
  queue.enqueue(`${owner.login}/${repo} ${subject}`, async () => {
    try {
      await job(work)
    } catch (error) {
      deliveries.release(context.id)
      context.log.error({ err: error, repository: `${owner.login}/${repo}`, subject }, 'A job failed')
    }
  })
}
