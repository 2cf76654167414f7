/** When the report of a repository comes: as its settings on the default branch say. */
import { DEFAULT_SCHEDULE, type RepositorySettings } from '../../engine/index.ts'
import type { Work } from '../github.ts'
import { readTeamSettings } from '../repository-settings.ts'
import { surveyNamed } from '../store/surveys.ts'

/** Of a repository that was never looked at, a first look is taken. */
export async function schedule(work: Work): Promise<void> {
  const { settings } = await readTeamSettings(work)
  await keepSchedule(work, settings)
  const known = await surveyNamed(work.database, work.repository)
  if (known === undefined) await work.queue.send([{ kind: 'survey', ...work.place, isReportDue: false }])
}

export async function keepSchedule({ queue, place }: Work, settings: RepositorySettings): Promise<void> {
  const report = { kind: 'survey', ...place, isReportDue: true } as const
  const cron = settings.reportSchedule ?? DEFAULT_SCHEDULE
  if (cron === 'never') await queue.noLonger(report)
  else await queue.repeat(report, cron)
}
