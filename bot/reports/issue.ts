/** The issue of the scheduled report: created once, then updated in place. */
import {
  type Report,
  renderRepositoryReport,
  repositoryReportMarker,
  repositoryReportTitle,
} from '../../engine/index.ts'
import type { Work } from '../github.ts'
import { statusOf } from '../installation.ts'
import { keepReport, lastReport } from '../store/last-reports.ts'
import { ledgerEntries } from '../store/ledger-entries.ts'
import type { BranchReading } from './branch.ts'

/** Reports are due at most once a day; an earlier one is a repeated job, and would say that nothing changed. */
const SOONEST_MILLIS = 12 * 3_600_000

/** Does nothing for a repository without issues, and creates no issue if there is no config. */
export async function reportOn(work: Work, reading: BranchReading, botLogin: () => Promise<string>): Promise<void> {
  const { database, place } = work
  if (!reading.branch.hasIssues) return
  const last = await lastReport(database, place)
  if (last === undefined ? reading.report.configs.length === 0 : isTooSoon(last.report, reading.report)) return
  const body = await bodyOf(work, reading, last?.report)
  const issueNumber = await keepIssue(work, body, last?.issueNumber, botLogin)
  await keepReport(database, place, { issueNumber, report: withoutTrials(reading.report) })
}

function isTooSoon(last: Report, now: Report): boolean {
  return Date.parse(now.createdAt) - Date.parse(last.createdAt) < SOONEST_MILLIS
}

async function bodyOf(
  { database, place }: Work,
  { branch, report, remarks }: BranchReading,
  last: Report | undefined,
): Promise<string> {
  const entries = (await ledgerEntries(database, place)).map(({ entry }) => entry)
  const first = entries.at(-1)
  return renderRepositoryReport({
    branch: branch.name,
    commit: branch.commit,
    report,
    last,
    ledger: { entries, since: first && new Date(first.mergedAt) },
    remarks,
  })
}

async function keepIssue(
  work: Work,
  body: string,
  known: number | undefined,
  botLogin: () => Promise<string>,
): Promise<number> {
  const { github, repository } = work
  const number = known ?? (await findIssue(work, await botLogin()))
  if (number !== undefined && (await updateIssue(work, number, body))) return number
  const { data } = await github.rest.issues.create({ ...repository, title: repositoryReportTitle, body })
  return data.number
}

/** False if the issue was deleted. A closed one is updated but stays closed. */
async function updateIssue({ github, repository }: Work, number: number, body: string): Promise<boolean> {
  try {
    await github.rest.issues.update({ ...repository, issue_number: number, body })
    return true
  } catch (error) {
    const status = statusOf(error)
    if (status === 404 || status === 410) return false
    throw error
  }
}

/** Finds the issue if its record was lost, by author and App as well as the marker, which anybody can write. */
async function findIssue({ github, repository, appId }: Work, creator: string): Promise<number | undefined> {
  const issues = await github.paginate(github.rest.issues.listForRepo, {
    ...repository,
    creator,
    state: 'all',
    per_page: 100,
  })
  return issues.find(
    ({ performed_via_github_app: app, pull_request: pull, body }) =>
      app?.id === appId && pull === undefined && body?.startsWith(repositoryReportMarker) === true,
  )?.number
}

/** Without trials, which the next report does not compare. */
function withoutTrials(report: Report): Report {
  return {
    ...report,
    configs: report.configs.map(config =>
      config.status === 'analysed' ? { ...config, trials: [], throughputCurve: [] } : config,
    ),
  }
}
