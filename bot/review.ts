/** From a pull request to its check and comment, by the engine's own analysis. */
import { readChangedConfigs } from './changed-configs.ts'
import { beginCheck, findCheck } from './check.ts'
import { finishing } from './finish.ts'
import { openPullRequest, type PullRequest, type Work } from './github.ts'
import { publish } from './publish.ts'
import { readTeamSettings } from './repository-settings.ts'

export interface ReviewRequest {
  readonly pullNumber: number
  /** The commit that the event was about; a newer one has an event of its own. */
  readonly headSha: string
  /** Analyse again what was analysed before. */
  readonly afresh: boolean
}

export async function reviewPullRequest(work: Work, { pullNumber, headSha, afresh }: ReviewRequest): Promise<void> {
  const pull = await openPullRequest(work, pullNumber)
  if (pull?.headSha !== headSha) return
  const existing = await findCheck(work, headSha)
  // Reopening, or a draft made ready, changes no file; an estimate must not replace what a GPU has measured since.
  if (existing?.completed === true && !afresh) return
  const checkRunId = await beginCheck(work, headSha, existing)
  await finishing(work, checkRunId, () => analyse(work, pull, checkRunId))
}

async function analyse(work: Work, pull: PullRequest, checkRunId: number): Promise<void> {
  const team = await readTeamSettings(work)
  const { files, base, remarks } = await readChangedConfigs(work, pull, team.settings)
  const report = await work.analyze(files, { settings: team.settings, base })
  await publish(work, pull, checkRunId, report, [...team.remarks, ...remarks])
}
