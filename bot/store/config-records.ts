/** The history of each config of the default branch. A record is added when something changes. */
import * as z from 'zod'
import { idlePercent } from '../../engine/index.ts'
import { type ConfigOrder, type ConfigRecord, configRecord } from '../../server/repositories.ts'
import type { Sql } from './database.ts'
import type { RepositoryKey } from './last-settings.ts'
import type { Migration } from './migration.ts'
import { storableJson } from './storable.ts'

export const configRecordsTable: Migration = {
  name: 'config-records',
  statements: [
    `CREATE TABLE memorymark.config_records (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      path text NOT NULL,
      recorded_at timestamptz NOT NULL,
      is_current boolean NOT NULL,
      waste double precision NOT NULL,
      cost double precision NOT NULL,
      facts text NOT NULL,
      record jsonb NOT NULL
    )`,
    'CREATE INDEX config_records_by_path ON memorymark.config_records (repository_id, path)',
    `CREATE UNIQUE INDEX config_records_current ON memorymark.config_records (repository_id, path) WHERE is_current`,
  ],
}

/** `records`: all configs of the branch. Configs not among them are marked as gone, and keep their history. */
export async function keepConfigRecords(sql: Sql, key: RepositoryKey, records: readonly ConfigRecord[]): Promise<void> {
  const known = await currentFacts(sql, key)
  const news = records.filter(record => known.get(record.path) !== factsOf(record))
  const outdated = [...known.keys()].filter(
    path => news.some(record => record.path === path) || !records.some(record => record.path === path),
  )
  await sql.query(
    `UPDATE memorymark.config_records SET is_current = false
     WHERE repository_id = $1 AND is_current AND path = ANY($2::text[])`,
    [key.repositoryId, outdated],
  )
  for (const record of news) {
    await sql.query(
      `INSERT INTO memorymark.config_records
         (installation_id, repository_id, path, recorded_at, is_current, waste, cost, facts, record)
       VALUES ($1, $2, $3, $4, true, $5, $6, $7, $8)`,
      [
        key.installationId,
        key.repositoryId,
        record.path,
        record.at,
        idlePercent(record.gpu, record.current),
        record.savingsPerYearUsd,
        factsOf(record),
        storableJson(record),
      ],
    )
  }
}

async function currentFacts(sql: Sql, { repositoryId }: RepositoryKey): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.query(
    'SELECT path, facts FROM memorymark.config_records WHERE repository_id = $1 AND is_current',
    [repositoryId],
  )
  return new Map(rows.map(row => factsRow.parse(row)).map(({ path, facts }) => [path, facts]))
}

const factsRow = z.object({ path: z.string(), facts: z.string() })

/** All fields except when and where they were found; a team's own price would otherwise differ each day by its date. */
function factsOf(record: ConfigRecord): string {
  const { at: _at, commit: _commit, ...facts } = configRecord.parse(record)
  return storableJson({ ...facts, gpu: { ...facts.gpu, priceDate: '' } })
}

export interface KeptConfigRecord {
  /** Grows with time. */
  readonly id: number
  /** The value that the page is sorted by. */
  readonly rank: number
  readonly record: ConfigRecord
}

/** The branch's configs in descending order; only those after `after`. Orders are named like the columns. */
export async function currentConfigRecords(
  sql: Sql,
  repositoryId: number,
  order: ConfigOrder,
  limit: number,
  after?: { readonly rank: number; readonly id: number },
): Promise<readonly KeptConfigRecord[]> {
  const rows = await sql.query(
    `SELECT id, ${order} AS rank, record FROM memorymark.config_records
     WHERE repository_id = $1 AND is_current
       AND ($3::double precision IS NULL OR (${order}, id) < ($3, $4::bigint))
     ORDER BY ${order} DESC, id DESC LIMIT $2`,
    [repositoryId, limit, after?.rank ?? null, after?.id ?? null],
  )
  return rows.map(row => recordRow.parse(row))
}

/** Newest first; only records older than `before`. */
export async function configHistory(
  sql: Sql,
  repositoryId: number,
  path: string,
  limit: number,
  before?: number,
): Promise<readonly KeptConfigRecord[]> {
  const rows = await sql.query(
    `SELECT id, 0::double precision AS rank, record FROM memorymark.config_records
     WHERE repository_id = $1 AND path = $2 AND ($4::bigint IS NULL OR id < $4)
     ORDER BY id DESC LIMIT $3`,
    [repositoryId, path, limit, before ?? null],
  )
  return rows.map(row => recordRow.parse(row))
}

const recordRow = z.object({ id: z.coerce.number(), rank: z.number(), record: configRecord })
