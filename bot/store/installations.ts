/** Exports or deletes all data of one installation. */
import * as z from 'zod'
import type { Database, Sql } from './database.ts'
import type { Migration } from './migration.ts'

export const departuresTable: Migration = {
  name: 'departures',
  statements: [
    `CREATE TABLE memorymark.departures (
      installation_id bigint PRIMARY KEY,
      left_at timestamptz NOT NULL
    )`,
  ],
}

export interface ExportedRow {
  readonly table: string
  readonly row: Readonly<Record<string, unknown>>
}

/** Rows in the order in which they were written, table by table. */
export async function* exportInstallation(sql: Sql, installationId: number): AsyncGenerator<ExportedRow> {
  for (const table of await tablesOfInstallations(sql)) {
    for (const row of await sql.query(`SELECT * FROM memorymark."${table}" WHERE installation_id = $1`, [
      installationId,
    ])) {
      yield { table, row }
    }
  }
}

export interface Deleted {
  readonly table: string
  readonly rows: number
}

/** In one transaction. */
export function deleteInstallation(database: Database, installationId: number): Promise<readonly Deleted[]> {
  return database.transaction(async sql => {
    const deleted: Deleted[] = []
    for (const table of await tablesOfInstallations(sql)) {
      const rows = await sql.query(`DELETE FROM memorymark."${table}" WHERE installation_id = $1 RETURNING 1 AS gone`, [
        installationId,
      ])
      deleted.push({ table, rows: rows.length })
    }
    return deleted
  })
}

/** The tables with a column for the installation. */
async function tablesOfInstallations(sql: Sql): Promise<readonly string[]> {
  const rows = await sql.query(
    `SELECT table_name FROM information_schema.columns
     WHERE table_schema = 'memorymark' AND column_name = 'installation_id' ORDER BY table_name`,
  )
  return rows.map(row => tableRow.parse(row).table_name)
}

const tableRow = z.object({ table_name: z.string().regex(/^\w+$/) })

/** Records that the App was uninstalled; the data stays for a while, since that may have been a mistake. */
export async function noteDeparture(sql: Sql, installationId: number, at: Date): Promise<void> {
  await sql.query(
    'INSERT INTO memorymark.departures (installation_id, left_at) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [installationId, at],
  )
}

/** Installations with any data, including uninstalled ones. */
export async function knownInstallations(sql: Sql): Promise<readonly number[]> {
  const known = new Set<number>()
  for (const table of await tablesOfInstallations(sql)) {
    const rows = await sql.query(`SELECT DISTINCT installation_id FROM memorymark."${table}"`)
    for (const row of rows) known.add(departureRow.parse(row).installation_id)
  }
  return [...known]
}

/** Installations uninstalled before `before`. */
export async function departedBefore(sql: Sql, before: Date): Promise<readonly number[]> {
  const rows = await sql.query(
    'SELECT installation_id FROM memorymark.departures WHERE left_at < $1 ORDER BY installation_id',
    [before],
  )
  return rows.map(row => departureRow.parse(row).installation_id)
}

const departureRow = z.object({ installation_id: z.coerce.number() })
