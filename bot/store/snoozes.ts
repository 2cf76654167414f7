/** Snoozes on pull requests. */
import * as z from 'zod'
import type { RepositoryPlace } from '../queue/jobs.ts'
import type { Sql } from './database.ts'
import type { Migration } from './migration.ts'
import { type PullKey, type PullPlace, pullColumns, pullPlaceIn } from './pull-key.ts'

export const snoozesTable: Migration = {
  name: 'snoozes',
  statements: [
    `CREATE TABLE memorymark.snoozes (
      comment_id bigint PRIMARY KEY,
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      owner text NOT NULL,
      repo text NOT NULL,
      pull_number integer NOT NULL,
      snoozed_by text NOT NULL,
      snoozed_at timestamptz NOT NULL,
      until timestamptz NOT NULL,
      is_over boolean NOT NULL DEFAULT false
    )`,
    'CREATE INDEX snoozes_by_pull ON memorymark.snoozes (repository_id, pull_number)',
    'CREATE INDEX snoozes_by_end ON memorymark.snoozes (until) WHERE NOT is_over',
  ],
}

export interface Snooze {
  /** The comment with the command. */
  readonly commentId: number
  /** Login. */
  readonly by: string
  readonly at: Date
  readonly until: Date
}

/** One snooze for each comment, so that repeating a job does not restart it. */
export async function keepSnooze(
  sql: Sql,
  place: RepositoryPlace,
  pullNumber: number,
  { commentId, by, at, until }: Snooze,
): Promise<void> {
  await sql.query(
    `INSERT INTO memorymark.snoozes
       (comment_id, installation_id, repository_id, owner, repo, pull_number, snoozed_by, snoozed_at, until)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (comment_id) DO NOTHING`,
    [commentId, place.installationId, place.repositoryId, place.owner, place.repo, pullNumber, by, at, until],
  )
}

/** The newest snooze counts, even if it ends sooner. */
export async function snoozeOf(sql: Sql, { repositoryId, pullNumber }: PullKey): Promise<Snooze | undefined> {
  const [row] = await sql.query(
    `SELECT comment_id, snoozed_by, snoozed_at, until FROM memorymark.snoozes
     WHERE repository_id = $1 AND pull_number = $2 ORDER BY snoozed_at DESC, comment_id DESC LIMIT 1`,
    [repositoryId, pullNumber],
  )
  return row === undefined ? undefined : snoozeRow.parse(row)
}

const snoozeRow = z
  .object({ comment_id: z.coerce.number(), snoozed_by: z.string(), snoozed_at: z.date(), until: z.date() })
  .transform((row): Snooze => ({ commentId: row.comment_id, by: row.snoozed_by, at: row.snoozed_at, until: row.until }))

/** Marks snoozes that have ended by `now`; each is returned once. */
export async function endSnoozes(sql: Sql, now: Date): Promise<readonly PullPlace[]> {
  const rows = await sql.query(
    `UPDATE memorymark.snoozes SET is_over = true WHERE NOT is_over AND until <= $1
     RETURNING installation_id, repository_id, owner, repo, pull_number`,
    [now],
  )
  return rows.map(row => pullPlaceIn(pullColumns.parse(row)))
}
