/**
 * `mode: report`: merges what other jobs measured with estimates for the rest, and shows changes since the last report.
 */
import path from 'node:path'
import * as core from '@actions/core'
import type { Report } from '../engine/index.ts'
import { renderChanges } from '../engine/render/changes.ts'
import { limitsFor } from './analysis-process.ts'
import type { EventSubject } from './event.ts'
import { gather } from './gather.ts'
import { readGlobs } from './inputs.ts'
import { openJob } from './job.ts'
import { mergeShards } from './merge.ts'
import { publish, publishNothing } from './publish.ts'
import type { RunContext } from './run-context.ts'
import { readReport, readReports } from './shards.ts'

export async function report(run: RunContext, event: EventSubject): Promise<void> {
  const patterns = readGlobs('reports', core.getInput('reports'))
  const job = await openJob(run, event)
  if (job === undefined) return publishNothing()
  const { files, options, remarks } = await gather(job)
  const shards = await readReports(patterns, run.workspace)
  const estimated = await job.engine.analyze(files, { ...options, ...limitsFor(job.subject) })
  const merged = mergeShards(estimated, shards.reports)
  const appendix = await sinceLast(run, core.getInput('last-report'), merged.report)
  await publish(job, await job.engine.withLevers(merged.report, files, options), {
    remarks: [...remarks, ...shards.remarks, ...merged.remarks],
    ...(appendix !== undefined && { appendix }),
  })
}

/** Undefined if no earlier report is given. */
async function sinceLast(run: RunContext, file: string, now: Report): Promise<string | undefined> {
  if (file === '') return undefined
  const last = await readReport(path.resolve(run.workspace, file))
  return last === undefined ? 'There is no earlier report to compare with.' : renderChanges(last, now)
}
