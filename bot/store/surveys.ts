/** The last survey of each repository's default branch. */
import * as z from 'zod'
import type { Sql } from './database.ts'
import type { RepositoryKey } from './last-settings.ts'
import type { Migration } from './migration.ts'

export const surveysTable: Migration = {
  name: 'surveys',
  statements: [
    `CREATE TABLE memorymark.surveys (
      repository_id bigint PRIMARY KEY,
      installation_id bigint NOT NULL,
      owner text NOT NULL,
      repo text NOT NULL,
      commit_sha text NOT NULL,
      configs integer NOT NULL,
      blocked integer NOT NULL,
      savings_per_year_usd double precision NOT NULL,
      surveyed_at timestamptz NOT NULL
    )`,
    'CREATE INDEX surveys_by_time ON memorymark.surveys (surveyed_at)',
  ],
}

export interface Survey {
  readonly owner: string
  readonly repo: string
  readonly commit: string
  /** How many there are, and how many of them block. */
  readonly configs: number
  readonly blocked: number
  readonly savingsPerYearUsd: number
  readonly at: Date
}

export async function keepSurvey(sql: Sql, key: RepositoryKey, survey: Survey): Promise<void> {
  await sql.query(
    `INSERT INTO memorymark.surveys
       (repository_id, installation_id, owner, repo, commit_sha, configs, blocked, savings_per_year_usd, surveyed_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (repository_id) DO UPDATE SET
       installation_id = excluded.installation_id, owner = excluded.owner, repo = excluded.repo,
       commit_sha = excluded.commit_sha, configs = excluded.configs, blocked = excluded.blocked,
       savings_per_year_usd = excluded.savings_per_year_usd, surveyed_at = excluded.surveyed_at`,
    [
      key.repositoryId,
      key.installationId,
      survey.owner,
      survey.repo,
      survey.commit,
      survey.configs,
      survey.blocked,
      survey.savingsPerYearUsd,
      survey.at,
    ],
  )
}

export interface KeptSurvey extends Survey {
  readonly repositoryId: number
}

/** Newest first; only those older than `before` (a time and an id). */
export async function surveys(
  sql: Sql,
  limit: number,
  before?: { readonly at: Date; readonly repositoryId: number },
): Promise<readonly KeptSurvey[]> {
  const rows = await sql.query(
    `SELECT ${columns} FROM memorymark.surveys
     WHERE $2::timestamptz IS NULL OR (surveyed_at, repository_id) < ($2, $3::bigint)
     ORDER BY surveyed_at DESC, repository_id DESC LIMIT $1`,
    [limit, before?.at ?? null, before?.repositoryId ?? null],
  )
  return rows.map(row => surveyRow.parse(row))
}

export async function surveyNamed(
  sql: Sql,
  name: { readonly owner: string; readonly repo: string },
): Promise<KeptSurvey | undefined> {
  // GitHub's names ignore case. If a name was reused, the newer repository has it.
  const [row] = await sql.query(
    `SELECT ${columns} FROM memorymark.surveys WHERE lower(owner) = lower($1) AND lower(repo) = lower($2)
     ORDER BY surveyed_at DESC LIMIT 1`,
    [name.owner, name.repo],
  )
  return row === undefined ? undefined : surveyRow.parse(row)
}

const columns = 'repository_id, owner, repo, commit_sha, configs, blocked, savings_per_year_usd, surveyed_at'

const surveyRow = z
  .object({
    repository_id: z.coerce.number(),
    owner: z.string(),
    repo: z.string(),
    commit_sha: z.string(),
    configs: z.number(),
    blocked: z.number(),
    savings_per_year_usd: z.number(),
    surveyed_at: z.date(),
  })
  .transform(
    (row): KeptSurvey => ({
      repositoryId: row.repository_id,
      owner: row.owner,
      repo: row.repo,
      commit: row.commit_sha,
      configs: row.configs,
      blocked: row.blocked,
      savingsPerYearUsd: row.savings_per_year_usd,
      at: row.surveyed_at,
    }),
  )
