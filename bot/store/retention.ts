/** How long data is kept. */
import type { Database } from './database.ts'

/** Each table's column with the age of a row. Current settings and departures are left out. */
export const ages = {
  acceptances: 'accepted_at',
  decisions: 'decided_at',
  explanations: 'explained_at',
  last_reports: 'reported_at',
  ledger_entries: 'merged_at',
  measured_configs: 'reported_at',
  measurements: 'due_at',
  open_checks: 'deadline_at',
  reruns: 'asked_at',
  seen_pulls: 'seen_at',
  snoozes: 'until',
  surveys: 'surveyed_at',
  taken_runs: 'taken_at',
} as const

/** Keeps a repository's current state whatever its age; deletes its history and all else that is older. */
export function forgetOlderThan(database: Database, days: number): Promise<void> {
  return database.transaction(async sql => {
    for (const [table, age] of Object.entries(ages)) {
      await sql.query(`DELETE FROM memorymark.${table} WHERE ${age} < now() - $1 * interval '1 day'`, [days])
    }
    await sql.query(
      `DELETE FROM memorymark.config_records WHERE NOT is_current AND recorded_at < now() - $1 * interval '1 day'`,
      [days],
    )
  })
}
