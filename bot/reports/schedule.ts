/** Schedules a repository's report as the settings on its default branch say. */
import { DEFAULT_SCHEDULE, type RepositorySettings } from '../../engine/index.ts'
import type { Work } from '../github.ts'
import type { JobOf } from '../queue/jobs.ts'
import { readTeamSettings } from '../repository-settings.ts'
import { surveyNamed } from '../store/surveys.ts'

/** Surveys a repository that was never surveyed. */
export async function schedule(work: Work): Promise<void> {
  const { settings } = await readTeamSettings(work)
  await keepSchedule(work, settings)
  const known = await surveyNamed(work.database, work.repository)
  if (known === undefined) await work.queue.send([{ kind: 'survey', ...work.place, isReportDue: false }])
}

export async function keepSchedule(work: Work, settings: RepositorySettings): Promise<void> {
  const cron = settings.reportSchedule ?? DEFAULT_SCHEDULE
  if (cron === 'never') await endSchedule(work)
  else await work.queue.repeat(reportOf(work), cron)
}

export async function endSchedule(work: Work): Promise<void> {
  await work.queue.noLonger(reportOf(work))
}

function reportOf({ place }: Work): JobOf<'survey'> {
  return { kind: 'survey', ...place, isReportDue: true }
}
