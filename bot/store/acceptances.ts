/** Acceptances on pull requests. */
import * as z from 'zod'
import { type AcceptedConfig, acceptedConfig } from '../../engine/index.ts'
import type { Sql } from './database.ts'
import type { Migration } from './migration.ts'
import type { PullKey } from './pull-key.ts'
import { storableJson } from './storable.ts'

export const acceptancesTable: Migration = {
  name: 'acceptances',
  statements: [
    `CREATE TABLE memorymark.acceptances (
      comment_id bigint PRIMARY KEY,
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      pull_number integer NOT NULL,
      accepted_by text NOT NULL,
      reason text NOT NULL,
      configs jsonb NOT NULL,
      accepted_at timestamptz NOT NULL
    )`,
    'CREATE INDEX acceptances_by_pull ON memorymark.acceptances (repository_id, pull_number)',
  ],
}

export interface Acceptance {
  /** The comment that says so. */
  readonly commentId: number
  /** Login. */
  readonly by: string
  readonly reason: string
  readonly configs: readonly AcceptedConfig[]
  readonly at: Date
}

/** One acceptance for each comment, so that repeating a job changes nothing. */
export async function keepAcceptance(sql: Sql, key: PullKey, acceptance: Acceptance): Promise<void> {
  await sql.query(
    `INSERT INTO memorymark.acceptances
       (comment_id, installation_id, repository_id, pull_number, accepted_by, reason, configs, accepted_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (comment_id) DO NOTHING`,
    [
      acceptance.commentId,
      key.installationId,
      key.repositoryId,
      key.pullNumber,
      acceptance.by,
      acceptance.reason,
      storableJson(acceptance.configs),
      acceptance.at,
    ],
  )
}

/** Newest first. */
export async function acceptancesOf(sql: Sql, { repositoryId, pullNumber }: PullKey): Promise<readonly Acceptance[]> {
  const rows = await sql.query(
    `SELECT comment_id, accepted_by, reason, configs, accepted_at FROM memorymark.acceptances
     WHERE repository_id = $1 AND pull_number = $2 ORDER BY accepted_at DESC, comment_id DESC`,
    [repositoryId, pullNumber],
  )
  return rows.map(row => acceptanceRow.parse(row))
}

const acceptanceRow = z
  .object({
    comment_id: z.coerce.number(),
    accepted_by: z.string(),
    reason: z.string(),
    configs: z.array(acceptedConfig),
    accepted_at: z.date(),
  })
  .transform(
    (row): Acceptance => ({
      commentId: row.comment_id,
      by: row.accepted_by,
      reason: row.reason,
      configs: row.configs,
      at: row.accepted_at,
    }),
  )
