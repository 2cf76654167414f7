/** Which events lead to which work. Handlers only queue: GitHub waits ten seconds for an answer. */
import type { ApplicationFunction, Context } from 'probot'
import { CHECK_NAME } from './check.ts'
import { answerHealth } from './health.ts'
import { takeMeasurement } from './measurement.ts'
import { reviewPullRequest } from './review.ts'
import { type Scheduler, scheduleForCommit, scheduleForPull, type WorkContext } from './schedule.ts'

export interface AppOptions extends Scheduler {
  /** Path of the one workflow whose reports are taken. */
  readonly workflowPath: string
}

export function memoryMarkApp(options: AppOptions): ApplicationFunction {
  const review = (context: WorkContext, pull: { number: number; head: { sha: string } }, afresh: boolean) =>
    scheduleForPull(options, context, pull.number, work =>
      reviewPullRequest(work, { pullNumber: pull.number, headSha: pull.head.sha, afresh }),
    )
  const reviewCommit = (context: WorkContext, headSha: string) =>
    scheduleForCommit(options, context, { headSha }, (work, pullNumber) =>
      reviewPullRequest(work, { pullNumber, headSha, afresh: true }),
    )

  const measure = (context: Context<'workflow_run'>) => {
    const {
      id,
      path,
      head_sha: headSha,
      head_branch: branch,
      head_repository: repository,
    } = context.payload.workflow_run
    // The path of a workflow that an organization requires ends in `@ref`.
    const workflowPath = path.replace(/@.*$/, '')
    if (workflowPath !== options.workflowPath) return
    scheduleForCommit(options, context, { headSha, owner: repository?.owner?.login, branch }, (work, pullNumber) =>
      takeMeasurement(work, pullNumber, { id, headSha, workflowPath }),
    )
  }

  return (app, { addHandler }) => {
    addHandler(answerHealth)
    app.on(
      ['pull_request.opened', 'pull_request.reopened', 'pull_request.synchronize', 'pull_request.ready_for_review'],
      context => review(context, context.payload.pull_request, false),
    )
    app.on('pull_request.edited', context => {
      if (context.payload.changes.base !== undefined) review(context, context.payload.pull_request, true)
    })
    app.on('check_run.rerequested', context => {
      if (context.payload.check_run.name === CHECK_NAME) reviewCommit(context, context.payload.check_run.head_sha)
    })
    app.on('check_suite.rerequested', context => reviewCommit(context, context.payload.check_suite.head_sha))
    app.on('workflow_run.completed', measure)
  }
}
