/** Explains a measurement's state and what to do, in Markdown. */
import { inlineCode } from '../../engine/index.ts'
import type { Ended, Measurement, Waiting } from './state.ts'

/** Undefined if there is nothing to say. */
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
      return `${named} is waiting for a runner.`
    case 'absent-runner':
      return `No runner has picked up ${named} so far. Make sure that one with its jobs' labels is online.`
    case 'result':
      return `${named} is running.`
  }
}

function endedBy({ how, workflow, why }: Ended, headSha: string): string {
  const named = inlineCode(workflow)
  switch (how) {
    case 'needs-leave':
      return `a first-time contributor's commit is measured on a GPU only after someone with write access comments ${inlineCode(`/memorymark ok ${headSha}`)}.`
    case 'needs-approval':
      return `${named} is waiting for approval. Someone with write access can approve its run on the Actions page.`
    case 'refused':
      return `GitHub did not start ${named}: ${why ?? 'it gave no reason'}. Fix that, then re-run this check.`
    case 'not-started':
      return `${named} did not start for this commit. Make sure that it is on the default branch and that no filter skips it, then re-run this check.`
    case 'queued-too-long':
      return `no runner picked up ${named} in time. Bring one with its jobs' labels online, then re-run this check.`
    case 'timed-out':
      return `${named} did not finish in time. Check its log, then re-run this check.`
    case 'cancelled':
      return `${named} was cancelled. Re-run this check to measure again.`
    case 'failed':
      return `${named} failed before it produced a report. Check its log, then re-run this check.`
    case 'without-report':
      return `${named} finished without a report about these configs. Make sure that it uploads the artifact memorymark-report, then re-run this check.`
    case 'not-measured':
      return `${named} reported, but not from a GPU. Make sure that its runner has one, then re-run this check.`
  }
}
