/** Checks left in progress, each with its deadline. */
import * as z from 'zod'
import type { Sql } from './database.ts'
import type { RepositoryKey } from './last-settings.ts'
import type { Migration } from './migration.ts'
import { type PullPlace, pullColumns, pullPlaceIn } from './pull-key.ts'

export const openChecksTable: Migration = {
  name: 'open-checks',
  statements: [
    `CREATE TABLE memorymark.open_checks (
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      owner text NOT NULL,
      repo text NOT NULL,
      pull_number integer NOT NULL,
      head_sha text NOT NULL,
      check_run_id bigint NOT NULL,
      deadline_at timestamptz NOT NULL,
      PRIMARY KEY (repository_id, check_run_id)
    )`,
    'CREATE INDEX open_checks_by_deadline ON memorymark.open_checks (deadline_at)',
  ],
}

export interface OpenCheck extends PullPlace {
  readonly headSha: string
  readonly checkRunId: number
}

export async function keepOpenCheck(sql: Sql, check: OpenCheck, deadlineAt: Date): Promise<void> {
  await sql.query(
    `INSERT INTO memorymark.open_checks
       (installation_id, repository_id, owner, repo, pull_number, head_sha, check_run_id, deadline_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (repository_id, check_run_id) DO UPDATE SET deadline_at = excluded.deadline_at`,
    [
      check.installationId,
      check.repositoryId,
      check.owner,
      check.repo,
      check.pullNumber,
      check.headSha,
      check.checkRunId,
      deadlineAt,
    ],
  )
}

export async function forgetOpenCheck(sql: Sql, { repositoryId }: RepositoryKey, checkRunId: number): Promise<void> {
  await sql.query('DELETE FROM memorymark.open_checks WHERE repository_id = $1 AND check_run_id = $2', [
    repositoryId,
    checkRunId,
  ])
}

/** Open checks of the pull request's earlier commits; all of its checks once it is closed (without a newest commit). */
export async function supersededChecks(
  sql: Sql,
  { repositoryId }: RepositoryKey,
  pull: { readonly number: number; readonly headSha: string | undefined },
): Promise<readonly OpenCheck[]> {
  const rows = await sql.query(
    `SELECT ${columns} FROM memorymark.open_checks
     WHERE repository_id = $1 AND pull_number = $2 AND ($3::text IS NULL OR head_sha <> $3)`,
    [repositoryId, pull.number, pull.headSha ?? null],
  )
  return rows.map(row => openCheckRow.parse(row))
}

/** Checks past their deadline, the longest overdue first. */
export async function overdueChecks(sql: Sql, limit: number): Promise<readonly OpenCheck[]> {
  const rows = await sql.query(
    `SELECT ${columns} FROM memorymark.open_checks WHERE deadline_at <= now() ORDER BY deadline_at LIMIT $1`,
    [limit],
  )
  return rows.map(row => openCheckRow.parse(row))
}

const columns = 'installation_id, repository_id, owner, repo, pull_number, head_sha, check_run_id'

const openCheckRow = pullColumns
  .extend({ head_sha: z.string(), check_run_id: z.coerce.number() })
  .transform(row => ({ ...pullPlaceIn(row), headSha: row.head_sha, checkRunId: row.check_run_id }))
