/** The latest decision on each pull request that was blocked or accepted. */
import * as z from 'zod'
import { type Decision, decision as decisionSchema } from '../../server/repositories.ts'
import type { Sql } from './database.ts'
import type { RepositoryKey } from './last-settings.ts'
import type { Migration } from './migration.ts'
import { storableJson } from './storable.ts'

export const decisionsTable: Migration = {
  name: 'decisions',
  statements: [
    `CREATE TABLE memorymark.decisions (
      repository_id bigint NOT NULL,
      pull_number integer NOT NULL,
      installation_id bigint NOT NULL,
      decided_at timestamptz NOT NULL,
      kind text NOT NULL,
      decision jsonb NOT NULL,
      PRIMARY KEY (repository_id, pull_number)
    )`,
    'CREATE INDEX decisions_by_time ON memorymark.decisions (repository_id, decided_at)',
  ],
}

/** A repeated decision of the same kind keeps its time. */
export async function keepDecision(sql: Sql, key: RepositoryKey, decision: Decision): Promise<void> {
  await sql.query(
    `INSERT INTO memorymark.decisions AS kept
       (repository_id, pull_number, installation_id, decided_at, kind, decision)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (repository_id, pull_number) DO UPDATE SET
       decided_at = CASE WHEN kept.kind = excluded.kind THEN kept.decided_at ELSE excluded.decided_at END,
       installation_id = excluded.installation_id, kind = excluded.kind, decision = excluded.decision`,
    [key.repositoryId, decision.pullRequest, key.installationId, decision.at, decision.kind, storableJson(decision)],
  )
}

/** Newest first; only those older than `before` (a time and a number). */
export async function decisions(
  sql: Sql,
  repositoryId: number,
  limit: number,
  before?: { readonly at: string; readonly pullRequest: number },
): Promise<readonly Decision[]> {
  const rows = await sql.query(
    `SELECT decided_at, decision FROM memorymark.decisions
     WHERE repository_id = $1 AND ($3::timestamptz IS NULL OR (decided_at, pull_number) < ($3, $4::integer))
     ORDER BY decided_at DESC, pull_number DESC LIMIT $2`,
    [repositoryId, limit, before?.at ?? null, before?.pullRequest ?? null],
  )
  return rows.map(row => decisionRow.parse(row))
}

const decisionRow = z
  .object({ decided_at: z.date(), decision: decisionSchema })
  .transform(({ decided_at: at, decision }): Decision => ({ ...decision, at: at.toISOString() }))
