/** Determines a measurement's state from GitHub's workflow runs and the database. */
import type { Report, RepositorySettings } from '../../engine/index.ts'
import type { ReadChange } from '../../github/change.ts'
import type { PullRequest, Work } from '../github.ts'
import {
  type Measurement as Due,
  dueMeasurement,
  type MeasurementKey,
  type TakenOutcome,
} from '../store/measurements.ts'
import { dispatchedRun, pullRequestRun, type Run } from './run.ts'
import type { Ended, Measurement, Waiting } from './state.ts'
import { takeReport } from './take.ts'

/** The default workflow for a dispatch: a copy of examples/workflows/dispatched-sweep.yml. */
const DISPATCHED_WORKFLOW = '.github/workflows/memorymark-sweep.yml'

const DEFAULT_WAIT_MINUTES = 60

/** An online runner takes a job within seconds; a scaling fleet takes minutes to start one. */
const RUNNER_MINUTES = 10

/** GitHub starts a workflow within seconds of its event. */
const START_MINUTES = 5

export interface Plan {
  readonly by: 'pull-request' | 'dispatch'
  readonly workflow: string
  /** False if a report would be used but nothing waits for it. */
  readonly isDue: boolean
  readonly waitMinutes: number
}

export function planOf({ measure }: RepositorySettings, workflowPath: string): Plan {
  const by = measure?.by ?? 'pull-request'
  return {
    by,
    workflow: measure?.workflow ?? (by === 'dispatch' ? DISPATCHED_WORKFLOW : workflowPath),
    isDue: measure !== undefined,
    waitMinutes: measure?.waitMinutes ?? DEFAULT_WAIT_MINUTES,
  }
}

/** Author associations of people who are new to the repository. */
const strangers = new Set(['FIRST_TIMER', 'FIRST_TIME_CONTRIBUTOR', 'MANNEQUIN', 'NONE'])

/** Reads the report of a run that has finished. */
export async function lookAtRun(
  work: Work,
  plan: Plan,
  { pull, read, estimate, now }: { pull: PullRequest; read: ReadChange; estimate: Report; now: Date },
): Promise<Measurement> {
  const due = plan.isDue ? await dueMeasurement(work.database, keyOf(work, pull)) : undefined
  if (plan.by === 'dispatch' && due !== undefined) {
    const open = beforeDispatch(plan, pull, due, now)
    if (open !== undefined) return open
  }
  const run = await runOf(work, plan, pull, due)
  if (run?.stage === 'completed') {
    const ownWorkflow = plan.by === 'pull-request' ? plan.workflow : undefined
    return afterRun(plan, run, await takeReport(work, { pull, read, estimate, run, ownWorkflow }))
  }
  return due === undefined ? { kind: 'not-due' } : duringRun(plan, run, due, now)
}

async function runOf(work: Work, plan: Plan, pull: PullRequest, due: Due | undefined): Promise<Run | undefined> {
  if (plan.by === 'pull-request') return pullRequestRun(work, pull, plan.workflow)
  return due?.runId === undefined ? undefined : dispatchedRun(work, due.runId)
}

function keyOf({ place }: Work, pull: PullRequest): MeasurementKey {
  return { ...place, pullNumber: pull.number, headSha: pull.headSha }
}

/** Why no run is dispatched, or that one is about to be; undefined once it was dispatched. */
function beforeDispatch(plan: Plan, pull: PullRequest, due: Due, now: Date): Waiting | Ended | undefined {
  if (due.runId !== undefined) return undefined
  if (pull.isFork && strangers.has(pull.authorAssociation) && due.approvedBy === undefined) {
    return ended(plan, 'needs-leave')
  }
  if (due.refusal !== undefined) return { ...ended(plan, 'refused'), why: due.refusal }
  return isPast(due.dueAt, START_MINUTES, now)
    ? ended(plan, 'not-started')
    : waiting(plan, 'dispatch', minutesAfter(due.dueAt, START_MINUTES))
}

function duringRun(plan: Plan, run: Run | undefined, due: Due, now: Date): Waiting | Ended {
  const deadline = minutesAfter(due.dueAt, plan.waitMinutes)
  switch (run?.stage) {
    case undefined:
      return isPast(due.dueAt, START_MINUTES, now)
        ? ended(plan, 'not-started')
        : waiting(plan, 'start', minutesAfter(due.dueAt, START_MINUTES))
    case 'needs-approval':
      return ended(plan, 'needs-approval')
    case 'queued': {
      if (now >= deadline) return ended(plan, 'queued-too-long')
      const absentAt = minutesAfter(run.createdAt, RUNNER_MINUTES)
      return now < absentAt
        ? waiting(plan, 'runner', earlier(absentAt, deadline))
        : waiting(plan, 'absent-runner', deadline)
    }
    case 'running':
      return now >= deadline ? ended(plan, 'timed-out') : waiting(plan, 'result', deadline)
    case 'completed':
      return ended(plan, 'without-report')
  }
}

function afterRun(plan: Plan, run: Run, taken: TakenOutcome): Measurement {
  switch (taken.kind) {
    case 'unusable':
      return { kind: 'unusable', isDue: plan.isDue, why: taken.why }
    case 'report':
      return plan.isDue ? { kind: 'measured' } : { kind: 'not-due' }
    case 'none':
      return plan.isDue ? ended(plan, howEnded(run)) : { kind: 'not-due' }
  }
}

function howEnded({ conclusion }: Run): Ended['how'] {
  switch (conclusion) {
    case 'cancelled':
    case 'stale':
      return 'cancelled'
    case 'timed_out':
      return 'timed-out'
    case 'success':
    case 'neutral':
      return 'without-report'
    case 'skipped':
      return 'not-started'
    default:
      return 'failed'
  }
}

function waiting({ workflow }: Plan, what: Waiting['for'], deadline: Date): Waiting {
  return { kind: 'waiting', for: what, workflow, deadline }
}

function ended({ workflow }: Plan, how: Ended['how']): Ended {
  return { kind: 'ended', how, workflow }
}

function minutesAfter(moment: Date, minutes: number): Date {
  return new Date(moment.getTime() + minutes * 60_000)
}

function isPast(moment: Date, minutes: number, now: Date): boolean {
  return now >= minutesAfter(moment, minutes)
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b
}
