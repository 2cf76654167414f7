/** Webhooks that were accepted. A redelivery has the same id, so each webhook is worked on once. */
import * as z from 'zod'
import type { Sql } from './database.ts'
import type { Migration } from './migration.ts'

export const deliveriesTable: Migration = {
  name: 'deliveries',
  statements: [
    `CREATE TABLE memorymark.deliveries (
      id text PRIMARY KEY,
      event text NOT NULL,
      received_at timestamptz NOT NULL DEFAULT now()
    )`,
    'CREATE INDEX deliveries_by_time ON memorymark.deliveries (received_at)',
  ],
}

export interface DeliveryName {
  readonly id: string
  /** As GitHub names it: `pull_request.opened`. */
  readonly event: string
}

/** The ids that are new. Sorted, so that concurrent claims cannot deadlock. */
export async function claimDeliveries(sql: Sql, deliveries: readonly DeliveryName[]): Promise<ReadonlySet<string>> {
  const rows = await sql.query(
    `INSERT INTO memorymark.deliveries (id, event)
     SELECT * FROM unnest($1::text[], $2::text[]) AS delivered (id, event) ORDER BY id
     ON CONFLICT DO NOTHING RETURNING id`,
    [deliveries.map(({ id }) => id), deliveries.map(({ event }) => event)],
  )
  return new Set(rows.map(row => claimedRow.parse(row).id))
}

const claimedRow = z.object({ id: z.string() })

/** GitHub can redeliver for three days; older ids are not needed. */
export async function forgetDeliveries(sql: Sql, days: number): Promise<void> {
  await sql.query(`DELETE FROM memorymark.deliveries WHERE received_at < now() - $1 * interval '1 day'`, [days])
}
