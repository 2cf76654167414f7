/** From what an event names, a commit or a workflow run, to the pull requests that it is about. */
import * as z from 'zod'
import { pullRequestsAt, type Work } from '../github.ts'
import type { Job, JobOf } from '../queue/jobs.ts'
import { dispatchedFor } from '../store/measurements.ts'

export async function resolveCommit(work: Work, { headSha, headOwner, headBranch }: JobOf<'commit'>): Promise<void> {
  const numbers = await pullRequestsAt(work, { headSha, owner: headOwner, branch: headBranch })
  await sendUpdates(work, numbers)
}

/** A run of its own pull request's workflow by its commit; one that we dispatched by our own record of it. */
export async function resolveRun(work: Work, runId: number): Promise<void> {
  const dispatched = await dispatchedFor(work.database, work.place, runId)
  if (dispatched !== undefined) return sendUpdates(work, [dispatched.pullNumber])
  const { data: run } = await work.github.rest.actions.getWorkflowRun({ ...work.repository, run_id: runId })
  const head = headRepository.safeParse(run.head_repository)
  const commit = { headSha: run.head_sha, owner: head.data?.owner.login, branch: run.head_branch }
  await sendUpdates(work, await pullRequestsAt(work, commit))
}

/** The fork may be gone. */
const headRepository = z.object({ owner: z.object({ login: z.string() }) })

async function sendUpdates({ queue, place }: Work, numbers: readonly number[]): Promise<void> {
  await queue.send(numbers.map((number): Job => ({ kind: 'pull-request', ...place, number })))
}
