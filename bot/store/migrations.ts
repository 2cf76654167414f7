/** Creates and changes the tables at the start. Replicas that start together wait for each other. */
import * as z from 'zod'
import { acceptancesTable } from './acceptances.ts'
import { configRecordsTable } from './config-records.ts'
import type { Database } from './database.ts'
import { decisionsTable } from './decisions.ts'
import { deliveriesTable } from './deliveries.ts'
import { explanationsTable } from './explanations.ts'
import { departuresTable } from './installations.ts'
import { lastReportsTable } from './last-reports.ts'
import { lastSettingsTable } from './last-settings.ts'
import { ledgerEntriesTable } from './ledger-entries.ts'
import { measuredConfigsTable } from './measured-configs.ts'
import { measurementsTable } from './measurements.ts'
import type { Migration } from './migration.ts'
import { openChecksTable } from './open-checks.ts'
import { rerunsTable } from './reruns.ts'
import { seenPullsTable } from './seen-pulls.ts'
import { snoozesTable } from './snoozes.ts'
import { surveysTable } from './surveys.ts'

/** In order. Released migrations are not edited; a change is appended as a new one. */
const migrations: readonly Migration[] = [
  deliveriesTable,
  lastSettingsTable,
  measuredConfigsTable,
  measurementsTable,
  openChecksTable,
  rerunsTable,
  seenPullsTable,
  acceptancesTable,
  snoozesTable,
  ledgerEntriesTable,
  surveysTable,
  lastReportsTable,
  configRecordsTable,
  decisionsTable,
  departuresTable,
  explanationsTable,
]

/** The lock's number, unlikely to be used by anybody else on the server. */
const LOCK = 7_364_021_590

export async function migrate(database: Database, wanted: readonly Migration[] = migrations): Promise<void> {
  await database.transaction(async sql => {
    await sql.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    await sql.query('CREATE SCHEMA IF NOT EXISTS memorymark')
    await sql.query(
      'CREATE TABLE IF NOT EXISTS memorymark.migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    )
    const rows = await sql.query('SELECT name FROM memorymark.migrations')
    const applied = new Set(rows.map(row => appliedRow.parse(row).name))
    for (const { name, statements } of wanted) {
      if (applied.has(name)) continue
      for (const statement of statements) await sql.query(statement)
      await sql.query('INSERT INTO memorymark.migrations (name) VALUES ($1)', [name])
    }
  })
}

const appliedRow = z.object({ name: z.string() })
