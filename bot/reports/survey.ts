/** Surveys a default branch: stores the state of its configs and updates the report if it is due. */
import { analysedIn, possibleSavingsUsd } from '../../engine/index.ts'
import type { Work } from '../github.ts'
import { statusOf } from '../installation.ts'
import { keepConfigRecords } from '../store/config-records.ts'
import { keepSurvey } from '../store/surveys.ts'
import { type BranchReading, readDefaultBranch } from './branch.ts'
import { reportOn } from './issue.ts'
import { recordOf } from './record.ts'
import { endSchedule, keepSchedule } from './schedule.ts'

export interface SurveyOptions {
  /** Whether the issue is updated too. */
  readonly isReportDue: boolean
  /** The App's login. */
  readonly botLogin: () => Promise<string>
}

export async function survey(work: Work, { isReportDue, botLogin }: SurveyOptions): Promise<void> {
  const reading = await readDefaultBranch(work).catch(async (error: unknown) => {
    // The repository was deleted or removed from the installation; housekeeping finds it if it returns.
    if (statusOf(error) === 404) await endSchedule(work)
    throw error
  })
  await keepSchedule(work, reading.settings)
  await keep(work, reading)
  // The team may have turned the report off since it became due.
  if (isReportDue && reading.settings.reportSchedule !== 'never') await reportOn(work, reading, botLogin)
}

async function keep({ database, place }: Work, { branch, report }: BranchReading): Promise<void> {
  const configs = analysedIn(report)
  const at = new Date(report.createdAt)
  await database.transaction(async sql => {
    await keepSurvey(sql, place, {
      owner: place.owner,
      repo: place.repo,
      commit: branch.commit,
      configs: report.configs.length,
      blocked: configs.filter(({ verdict }) => verdict.state === 'blocked').length,
      savingsPerYearUsd: possibleSavingsUsd(report),
      at,
    })
    await keepConfigRecords(
      sql,
      place,
      configs.map(config => recordOf(config, branch.commit, at)),
    )
  })
}
