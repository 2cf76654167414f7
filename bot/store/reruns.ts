/** Requests to re-run a check. They are not jobs, because the queue would merge a second request into a waiting one. */
import * as z from 'zod'
import type { Sql } from './database.ts'
import type { RepositoryKey } from './last-settings.ts'
import type { Migration } from './migration.ts'

export const rerunsTable: Migration = {
  name: 'reruns',
  statements: [
    `CREATE TABLE memorymark.reruns (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      head_sha text NOT NULL,
      asked_at timestamptz NOT NULL DEFAULT now()
    )`,
    'CREATE INDEX reruns_by_commit ON memorymark.reruns (repository_id, head_sha)',
  ],
}

export interface CommitKey extends RepositoryKey {
  readonly headSha: string
}

export async function askForRerun(sql: Sql, { installationId, repositoryId, headSha }: CommitKey): Promise<void> {
  await sql.query('INSERT INTO memorymark.reruns (installation_id, repository_id, head_sha) VALUES ($1, $2, $3)', [
    installationId,
    repositoryId,
    headSha,
  ])
}

/** The newest request that is not yet done. */
export async function openRerun(sql: Sql, { repositoryId, headSha }: CommitKey): Promise<number | undefined> {
  const [row] = await sql.query(
    'SELECT max(id) AS id FROM memorymark.reruns WHERE repository_id = $1 AND head_sha = $2',
    [repositoryId, headSha],
  )
  return newestRow.parse(row).id ?? undefined
}

/** Marks this request and earlier ones as done. */
export async function answerRerun(sql: Sql, { repositoryId, headSha }: CommitKey, id: number): Promise<void> {
  await sql.query('DELETE FROM memorymark.reruns WHERE repository_id = $1 AND head_sha = $2 AND id <= $3', [
    repositoryId,
    headSha,
    id,
  ])
}

const newestRow = z.object({ id: z.coerce.number().nullable() })
