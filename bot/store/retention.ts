/** How long things are kept. */
import type { Database } from './database.ts'

/** By the column that says how old a row is. Left out are the settings that hold now, and who has left. */
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

/** What is current of a repository stays, however long it has been so; its history and the rest go. */
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
