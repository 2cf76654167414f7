/**
 * The check on a merge group: known results for its configs, and estimates for the others. It never waits for a
 * measurement.
 */
import type { Report } from '../engine/index.ts'
import { changeBetween, sourcesOf } from './change.ts'
import { type DesiredCheck, findCheck, keepCheck } from './check.ts'
import type { Work } from './github.ts'
import { applyLeniency, type LenientReport, readLeniency } from './leniency/leniency.ts'
import { desiredCheck, failedCheck } from './pull-request/desired.ts'
import { withReported } from './pull-request/reported.ts'
import { failureOf } from './queue/failure.ts'
import type { JobOf } from './queue/jobs.ts'
import { readTeamSettings } from './repository-settings.ts'

export async function answerMergeGroup(work: Work, group: JobOf<'merge-group'>): Promise<void> {
  const { headSha } = group
  const check = await findCheck(work, headSha)
  try {
    await keepCheck(work, headSha, check, await judgeGroup(work, group))
  } catch (error) {
    if (failureOf(error, new Date()).kind !== 'fault') throw error
    await keepCheck(work, headSha, check, failedCheck(error))
    throw error
  }
}

/** Ends the check of a group whose job failed too often, since a queue waits for it. */
export async function giveUpOnGroup(work: Work, { headSha }: JobOf<'merge-group'>): Promise<void> {
  const check = await findCheck(work, headSha)
  if (check?.isCompleted !== true) await keepCheck(work, headSha, check, failedCheck(undefined))
}

async function judgeGroup(work: Work, group: JobOf<'merge-group'>): Promise<DesiredCheck> {
  const { headSha, baseSha } = group
  const { settings, remarks } = await readTeamSettings(work)
  const read = await changeBetween(work, baseSha, headSha).read(settings)
  const estimate = await work.analyze(read.files, {
    settings,
    sources: sourcesOf(work, read),
    base: read.base,
    formerVersions: read.formerVersions,
  })
  const judged = await withReported(work, estimate, read, headSha)
  const { report, remarks: letPass } = await lenientFor(work, judged, group.pullNumber)
  const gaps = [...remarks, ...read.remarks]
  return desiredCheck({ headSha, report, measurement: { kind: 'not-due' }, gaps, remarks: letPass })
}

/** Acceptances on the pull request hold in the queue too. */
async function lenientFor(
  { database, place }: Work,
  report: Report,
  pullNumber: number | undefined,
): Promise<Pick<LenientReport, 'report' | 'remarks'>> {
  if (pullNumber === undefined) return { report, remarks: [] }
  return applyLeniency(report, await readLeniency(database, { ...place, pullNumber }), new Date())
}
