/** Dispatches the default branch's measuring workflow for a pull request's commit, which is passed as an input. */
import path from 'node:path'
import * as z from 'zod'
import { readPullRequest, type Work } from '../github.ts'
import { statusOf } from '../installation.ts'
import type { JobOf } from '../queue/jobs.ts'
import { readTeamSettings } from '../repository-settings.ts'
import { dueMeasurement, keepDispatched, keepRefusal, type MeasurementKey } from '../store/measurements.ts'
import { planOf } from './progress.ts'

export async function dispatchMeasurement(work: Work, { number, headSha }: JobOf<'dispatch'>): Promise<void> {
  const pull = await readPullRequest(work, number)
  const plan = planOf((await readTeamSettings(work)).settings, work.workflowPath)
  if (!pull.isOpen || pull.headSha !== headSha || !plan.isDue || plan.by !== 'dispatch') return
  const key: MeasurementKey = { ...work.place, pullNumber: number, headSha }
  if ((await dueMeasurement(work.database, key)).runId !== undefined) return
  const started = await start(work, plan.workflow, { 'pull-request': String(number), 'head-sha': headSha })
  switch (started.kind) {
    case 'started':
      await keepDispatched(work.database, key, started.runId)
      break
    case 'refused':
      await keepRefusal(work.database, key, started.why)
      break
  }
  await work.queue.send([{ kind: 'pull-request', ...work.place, number }])
}

type Started =
  | { readonly kind: 'started'; readonly runId: number }
  /** `why`: a clause in our words. */
  | { readonly kind: 'refused'; readonly why: string }

const details = z.object({ workflow_run_id: z.number() })

async function start(work: Work, workflow: string, inputs: Readonly<Record<string, string>>): Promise<Started> {
  const { github, repository } = work
  const { data } = await github.rest.repos.get(repository)
  try {
    const answer = await github.request('POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches', {
      ...repository,
      workflow_id: path.posix.basename(workflow),
      ref: data.default_branch,
      inputs,
      return_run_details: true,
    })
    const run = details.safeParse(answer.data)
    if (run.success) return { kind: 'started', runId: run.data.workflow_run_id }
    return { kind: 'refused', why: 'GitHub did not say which run it started' }
  } catch (error) {
    const why = refusals[statusOf(error) ?? 0]
    if (why === undefined) throw error
    return { kind: 'refused', why }
  }
}

const refusals: Readonly<Record<number, string>> = {
  404: 'there is no such workflow on the default branch',
  422: 'it has no workflow_dispatch trigger with exactly the inputs pull-request and head-sha',
}
