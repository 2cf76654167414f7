/** The explanation of each pull request's newest judged commit, stored for `/memorymark explain`. */
import * as z from 'zod'
import type { Sql } from './database.ts'
import type { Migration } from './migration.ts'
import type { PullKey } from './pull-key.ts'

export const explanationsTable: Migration = {
  name: 'explanations',
  statements: [
    `CREATE TABLE memorymark.explanations (
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      pull_number integer NOT NULL,
      head_sha text NOT NULL,
      markdown text NOT NULL,
      explained_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (repository_id, pull_number)
    )`,
  ],
}

export interface Explanation {
  readonly headSha: string
  readonly markdown: string
}

export async function keepExplanation(sql: Sql, key: PullKey, { headSha, markdown }: Explanation): Promise<void> {
  await sql.query(
    `INSERT INTO memorymark.explanations (installation_id, repository_id, pull_number, head_sha, markdown)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (repository_id, pull_number) DO UPDATE SET
       installation_id = excluded.installation_id, head_sha = excluded.head_sha, markdown = excluded.markdown,
       explained_at = now()`,
    [key.installationId, key.repositoryId, key.pullNumber, headSha, markdown],
  )
}

/** Undefined before the first commit was judged. */
export async function explanationOf(sql: Sql, key: PullKey): Promise<Explanation | undefined> {
  const [row] = await sql.query(
    `SELECT head_sha AS "headSha", markdown FROM memorymark.explanations
     WHERE installation_id = $1 AND repository_id = $2 AND pull_number = $3`,
    [key.installationId, key.repositoryId, key.pullNumber],
  )
  return row === undefined ? undefined : explanationRow.parse(row)
}

const explanationRow = z.object({ headSha: z.string(), markdown: z.string() })
