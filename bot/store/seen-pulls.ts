/** The newest commit of each pull request that was updated; a pull request that differs was missed. */
import * as z from 'zod'
import type { Sql } from './database.ts'
import type { RepositoryKey } from './last-settings.ts'
import type { Migration } from './migration.ts'
import type { PullKey } from './pull-key.ts'

export const seenPullsTable: Migration = {
  name: 'seen-pulls',
  statements: [
    `CREATE TABLE memorymark.seen_pulls (
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      pull_number integer NOT NULL,
      head_sha text NOT NULL,
      seen_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (repository_id, pull_number)
    )`,
  ],
}

export async function keepSeen(sql: Sql, key: PullKey, headSha: string): Promise<void> {
  await sql.query(
    `INSERT INTO memorymark.seen_pulls (installation_id, repository_id, pull_number, head_sha) VALUES ($1, $2, $3, $4)
     ON CONFLICT (repository_id, pull_number) DO UPDATE SET
       installation_id = excluded.installation_id, head_sha = excluded.head_sha, seen_at = now()`,
    [key.installationId, key.repositoryId, key.pullNumber, headSha],
  )
}

/** Head commits by number. */
export async function seenPulls(
  sql: Sql,
  { repositoryId }: RepositoryKey,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await sql.query(
    'SELECT pull_number, head_sha FROM memorymark.seen_pulls WHERE repository_id = $1 AND pull_number = ANY($2::integer[])',
    [repositoryId, numbers],
  )
  return new Map(rows.map(row => seenRow.parse(row)).map(row => [row.pull_number, row.head_sha]))
}

const seenRow = z.object({ pull_number: z.number(), head_sha: z.string() })
