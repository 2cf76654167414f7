/** What merged pull requests saved and what was accepted, config by config. */
import * as z from 'zod'
import { type LedgerEntry, ledgerEntry } from '../../engine/index.ts'
import type { Sql } from './database.ts'
import type { RepositoryKey } from './last-settings.ts'
import type { Migration } from './migration.ts'
import { storableJson } from './storable.ts'

export const ledgerEntriesTable: Migration = {
  name: 'ledger-entries',
  statements: [
    `CREATE TABLE memorymark.ledger_entries (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      pull_number integer NOT NULL,
      path text NOT NULL,
      merged_at timestamptz NOT NULL,
      entry jsonb NOT NULL,
      UNIQUE (repository_id, pull_number, path)
    )`,
    'CREATE INDEX ledger_entries_by_time ON memorymark.ledger_entries (repository_id, merged_at)',
  ],
}

/** A pull request merges once, so repeating a job changes nothing. */
export async function keepLedgerEntries(sql: Sql, key: RepositoryKey, entries: readonly LedgerEntry[]): Promise<void> {
  for (const entry of entries) {
    await sql.query(
      `INSERT INTO memorymark.ledger_entries (installation_id, repository_id, pull_number, path, merged_at, entry)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (repository_id, pull_number, path) DO NOTHING`,
      [key.installationId, key.repositoryId, entry.pullNumber, entry.path, entry.mergedAt, storableJson(entry)],
    )
  }
}

export interface KeptLedgerEntry {
  /** Grows with time. */
  readonly id: number
  readonly entry: LedgerEntry
}

/** Newest first. */
export async function ledgerEntries(
  sql: Sql,
  { repositoryId }: Pick<RepositoryKey, 'repositoryId'>,
): Promise<readonly KeptLedgerEntry[]> {
  const rows = await sql.query(
    `SELECT id, entry FROM memorymark.ledger_entries WHERE repository_id = $1
     ORDER BY merged_at DESC, id DESC`,
    [repositoryId],
  )
  return rows.map(row => entryRow.parse(row))
}

const entryRow = z.object({ id: z.coerce.number(), entry: ledgerEntry })
