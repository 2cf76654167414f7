/** Ends checks that wait for the measurement of a commit that is no longer the newest, or of a closed pull request. */
import { keepCheck } from '../check.ts'
import type { PullRequest, Work } from '../github.ts'
import { statusOf } from '../installation.ts'
import type { JobOf } from '../queue/jobs.ts'
import { dispatchedAt } from '../store/measurements.ts'
import { forgetOpenCheck, supersededChecks } from '../store/open-checks.ts'
import { supersededCheck } from './desired.ts'

/** One job for each check, since each takes writes of its own. */
export async function leaveSuperseded({ database, queue, place }: Work, pull: PullRequest): Promise<void> {
  const headSha = pull.isOpen ? pull.headSha : undefined
  const left = await supersededChecks(database, place, { number: pull.number, headSha })
  await queue.send(left.map(({ headSha, checkRunId }) => ({ kind: 'superseded', ...place, headSha, checkRunId })))
}

export async function endSuperseded(work: Work, { headSha, checkRunId }: JobOf<'superseded'>): Promise<void> {
  const check = { id: checkRunId, isCompleted: false, annotations: 0, digest: '' }
  await keepCheck(work, headSha, check, supersededCheck)
  await cancelRun(work, headSha)
  await forgetOpenCheck(work.database, work.place, checkRunId)
}

/** Cancels the workflow run, but only if the bot dispatched it. */
async function cancelRun({ github, repository, database, place }: Work, headSha: string): Promise<void> {
  const runId = await dispatchedAt(database, place, headSha)
  if (runId === undefined) return
  await github.rest.actions.cancelWorkflowRun({ ...repository, run_id: runId }).catch((error: unknown) => {
    // The run has ended or was deleted.
    if (statusOf(error) !== 409 && statusOf(error) !== 404) throw error
  })
}
