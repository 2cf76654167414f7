/** Workflow runs that may have measured a pull request's newest commit. */
import * as z from 'zod'
import type { PullRequest, Work } from '../github.ts'
import { statusOf } from '../installation.ts'

export interface Run {
  readonly id: number
  readonly attempt: number
  readonly stage: 'queued' | 'needs-approval' | 'running' | 'completed'
  /** The result of a completed run, in GitHub's words. */
  readonly conclusion: string
  readonly createdAt: Date
}

const workflowRun = z.object({
  id: z.number(),
  run_attempt: z.number().optional(),
  event: z.string(),
  path: z.string(),
  status: z.string().nullable(),
  conclusion: z.string().nullable(),
  created_at: z.string(),
  head_sha: z.string(),
  head_repository: z.object({ full_name: z.string() }).nullable(),
  pull_requests: z.array(z.object({ number: z.number() })).nullish(),
})
type WorkflowRun = z.infer<typeof workflowRun>

/** The newest run of the pull request's own workflow on its newest commit. */
export async function pullRequestRun(work: Work, pull: PullRequest, workflow: string): Promise<Run | undefined> {
  const { data } = await work.github.rest.actions.listWorkflowRunsForRepo({
    ...work.repository,
    head_sha: pull.headSha,
    event: 'pull_request',
    per_page: 100,
  })
  const own = data.workflow_runs
    .map(run => workflowRun.parse(run))
    .filter(run => run.event === 'pull_request' && isOf(run, pull) && pathOf(run) === workflow)
    .toSorted((a, b) => b.id - a.id)
  return own[0] && described(own[0])
}

/** A run that we dispatched; undefined if it was deleted. */
export async function dispatchedRun(work: Work, runId: number): Promise<Run | undefined> {
  const answer = await work.github.rest.actions
    .getWorkflowRun({ ...work.repository, run_id: runId })
    .catch((error: unknown) => {
      if (statusOf(error) === 404) return undefined
      throw error
    })
  const run = answer && workflowRun.parse(answer.data)
  return run?.event === 'workflow_dispatch' ? described(run) : undefined
}

/**
 * Whether the run belongs to the pull request, from GitHub's fields alone: head commit, head repository, and the pull
 * requests that it lists, if any.
 */
function isOf(run: WorkflowRun, pull: PullRequest): boolean {
  const named = run.pull_requests ?? []
  return (
    run.head_sha === pull.headSha &&
    run.head_repository?.full_name === pull.headRepository &&
    (named.length === 0 || named.some(({ number }) => number === pull.number))
  )
}

/** The workflow's path; for a workflow required by an organization it ends in `@ref`, which is removed. */
function pathOf({ path }: WorkflowRun): string {
  return path.replace(/@[\s\S]*$/, '')
}

function described(run: WorkflowRun): Run {
  return {
    id: run.id,
    attempt: run.run_attempt ?? 1,
    stage: stageOf(run),
    conclusion: run.conclusion ?? '',
    createdAt: new Date(run.created_at),
  }
}

function stageOf({ status, conclusion }: WorkflowRun): Run['stage'] {
  if (conclusion === 'action_required') return 'needs-approval'
  switch (status) {
    case 'completed':
      return 'completed'
    case 'in_progress':
      return 'running'
    default:
      return 'queued'
  }
}
