/** The last valid `.github/memorymark.yml` of each repository, used while a newer one cannot be read. */
import * as z from 'zod'
import type { Sql } from './database.ts'
import type { Migration } from './migration.ts'

export const lastSettingsTable: Migration = {
  name: 'last-settings',
  statements: [
    `CREATE TABLE memorymark.last_settings (
      installation_id bigint NOT NULL,
      repository_id bigint PRIMARY KEY,
      text text NOT NULL,
      seen_at timestamptz NOT NULL DEFAULT now()
    )`,
  ],
}

export interface RepositoryKey {
  readonly installationId: number
  readonly repositoryId: number
}

/** The file's text, so that a newer version parses it by its own rules. */
export async function lastSettings(sql: Sql, { repositoryId }: RepositoryKey): Promise<string | undefined> {
  const [row] = await sql.query('SELECT text FROM memorymark.last_settings WHERE repository_id = $1', [repositoryId])
  return row === undefined ? undefined : textRow.parse(row).text
}

export async function keepSettings(sql: Sql, key: RepositoryKey, text: string): Promise<void> {
  await sql.query(
    `INSERT INTO memorymark.last_settings AS kept (installation_id, repository_id, text) VALUES ($1, $2, $3)
     ON CONFLICT (repository_id) DO UPDATE SET text = excluded.text, installation_id = excluded.installation_id, seen_at = now()
     WHERE kept.text <> excluded.text`,
    [key.installationId, key.repositoryId, text],
  )
}

const textRow = z.object({ text: z.string() })
