/** The check on a merge group: what is known of the same configs, and our estimate of the others. It never waits. */
import { candidatesBetween, readCandidates } from './candidates.ts'
import { findCheck, keepCheck } from './check.ts'
import type { Work } from './github.ts'
import { desiredCheck, failedCheck } from './pull-request/desired.ts'
import { baseOf, modelsAt } from './pull-request/judge.ts'
import { withReported } from './pull-request/reported.ts'
import { failureOf } from './queue/failure.ts'
import type { JobOf } from './queue/jobs.ts'
import { readTeamSettings } from './repository-settings.ts'

export async function answerMergeGroup(work: Work, { headSha, baseSha }: JobOf<'merge-group'>): Promise<void> {
  const check = await findCheck(work, headSha)
  try {
    await keepCheck(work, headSha, check, await judgeGroup(work, { headSha, baseSha }))
  } catch (error) {
    if (failureOf(error, new Date()).kind !== 'fault') throw error
    await keepCheck(work, headSha, check, failedCheck(error))
    throw error
  }
}

async function judgeGroup(work: Work, commits: { readonly headSha: string; readonly baseSha: string }) {
  const { headSha, baseSha } = commits
  const { settings, remarks } = await readTeamSettings(work)
  const candidates = await candidatesBetween(work, baseSha, headSha, settings)
  const read = await readCandidates(work, headSha, candidates.blobs)
  const models = modelsAt(work, headSha)
  const estimate = await work.analyze(read.files, { settings, models, base: baseOf(work, baseSha, candidates) })
  const report = await withReported(work, estimate, candidates, commits)
  const gaps = [...remarks, ...candidates.remarks, ...read.remarks]
  return desiredCheck({ headSha, report, measurement: { kind: 'not-due' }, gaps, remarks: [] })
}
