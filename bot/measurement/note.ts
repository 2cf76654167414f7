/** What people read of a measurement, with what to do about it. Markdown; workflow paths are the team's own. */
import { inlineCode } from '../../engine/index.ts'
import type { Ended, Measurement, Waiting } from './state.ts'

/** Undefined where there is nothing to say. */
export function measurementNote(measurement: Measurement, headSha: string): string | undefined {
  switch (measurement.kind) {
    case 'not-due':
    case 'measured':
      return undefined
    case 'waiting':
      return `These are estimates; a GPU run is due and will replace them. ${waitingFor(measurement)}`
    case 'unusable':
      return `The report of the workflow run was not used: ${measurement.why}.`
    case 'ended':
      return `These are estimates: ${endedBy(measurement, headSha)}`
  }
}

function waitingFor({ for: what, workflow }: Waiting): string {
  const named = inlineCode(workflow)
  switch (what) {
    case 'dispatch':
    case 'start':
      return `Waiting for ${named} to start.`
    case 'runner':
      return `${named} waits for a runner.`
    case 'absent-runner':
      return `No runner has taken ${named} so far. See that one with the labels of its jobs is online.`
    case 'result':
      return `${named} is running.`
  }
}

function endedBy({ how, workflow, why }: Ended, headSha: string): string {
  const named = inlineCode(workflow)
  switch (how) {
    case 'needs-leave':
      return `a GPU measures a newcomer's commit only when someone with write access comments ${inlineCode(`/memorymark ok ${headSha}`)}.`
    case 'needs-approval':
      return `${named} waits for approval. Someone with write access can approve its run on the Actions page.`
    case 'refused':
      return `GitHub did not start ${named}: ${why ?? 'it gave no reason'}. Mend that, then re-run this check.`
    case 'not-started':
      return `${named} did not start for this commit. See that it is on the default branch and that no filter skips it, then re-run this check.`
    case 'queued-too-long':
      return `no runner took ${named} in time. Bring one with the labels of its jobs online, then re-run this check.`
    case 'timed-out':
      return `${named} did not finish in time. Look at its log, then re-run this check.`
    case 'cancelled':
      return `${named} was cancelled. Re-run this check to measure again.`
    case 'failed':
      return `${named} failed before it had a report. Look at its log, then re-run this check.`
    case 'without-report':
      return `${named} finished and left no report about these configs. See that it uploads the artifact memorymark-report, then re-run this check.`
    case 'not-measured':
      return `${named} reported, but not from a GPU. See that its runner has one, then re-run this check.`
  }
}
