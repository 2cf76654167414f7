/** The last report on each default branch, and its issue. */
import * as z from 'zod'
import { type Report, report as reportSchema } from '../../engine/index.ts'
import type { Sql } from './database.ts'
import type { RepositoryKey } from './last-settings.ts'
import type { Migration } from './migration.ts'
import { storableJson } from './storable.ts'

export const lastReportsTable: Migration = {
  name: 'last-reports',
  statements: [
    `CREATE TABLE memorymark.last_reports (
      repository_id bigint PRIMARY KEY,
      installation_id bigint NOT NULL,
      issue_number integer NOT NULL,
      report jsonb NOT NULL,
      reported_at timestamptz NOT NULL
    )`,
  ],
}

export interface LastReport {
  readonly issueNumber: number
  readonly report: Report
}

export async function keepReport(sql: Sql, key: RepositoryKey, { issueNumber, report }: LastReport): Promise<void> {
  await sql.query(
    `INSERT INTO memorymark.last_reports (repository_id, installation_id, issue_number, report, reported_at)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (repository_id) DO UPDATE SET
       installation_id = excluded.installation_id, issue_number = excluded.issue_number,
       report = excluded.report, reported_at = excluded.reported_at`,
    [key.repositoryId, key.installationId, issueNumber, storableJson(report), report.createdAt],
  )
}

/** Undefined before the first report, and if an older version stored it in a form that is no longer read. */
export async function lastReport(sql: Sql, { repositoryId }: RepositoryKey): Promise<LastReport | undefined> {
  const [row] = await sql.query('SELECT issue_number, report FROM memorymark.last_reports WHERE repository_id = $1', [
    repositoryId,
  ])
  const parsed = reportRow.safeParse(row)
  return parsed.success ? { issueNumber: parsed.data.issue_number, report: parsed.data.report } : undefined
}

const reportRow = z.object({ issue_number: z.number(), report: reportSchema })
