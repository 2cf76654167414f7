/** GPU measurements that are due, and workflow runs whose report was read. */
import * as z from 'zod'
import type { Sql } from './database.ts'
import type { RepositoryKey } from './last-settings.ts'
import type { Migration } from './migration.ts'
import { storableJson } from './storable.ts'

export const measurementsTable: Migration = {
  name: 'measurements',
  statements: [
    `CREATE TABLE memorymark.measurements (
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      pull_number integer NOT NULL,
      head_sha text NOT NULL,
      due_at timestamptz NOT NULL DEFAULT now(),
      run_id bigint,
      refusal text,
      approved_by text,
      PRIMARY KEY (repository_id, pull_number, head_sha)
    )`,
    'CREATE UNIQUE INDEX measurements_by_run ON memorymark.measurements (repository_id, run_id)',
    `CREATE TABLE memorymark.taken_runs (
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      pull_number integer NOT NULL,
      head_sha text NOT NULL,
      run_id bigint NOT NULL,
      run_attempt integer NOT NULL,
      outcome jsonb NOT NULL,
      taken_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (repository_id, pull_number, run_id, run_attempt)
    )`,
  ],
}

export interface MeasurementKey extends RepositoryKey {
  readonly pullNumber: number
  readonly headSha: string
}

/** A measurement that is due. */
export interface Measurement {
  /** The start of its deadline. */
  readonly dueAt: Date
  /** The id of the run that we dispatched. */
  readonly runId: number | undefined
  /** Why GitHub did not dispatch a run: a clause in our words. */
  readonly refusal: string | undefined
  /** Login of the person who approved measuring a first-time contributor's commit. */
  readonly approvedBy: string | undefined
}

/** The measurement due for this commit, created if there is none. */
export async function dueMeasurement(sql: Sql, key: MeasurementKey): Promise<Measurement> {
  const { installationId, repositoryId, pullNumber, headSha } = key
  const [row] = await sql.query(
    `INSERT INTO memorymark.measurements (installation_id, repository_id, pull_number, head_sha)
     VALUES ($1, $2, $3, $4)
     ON CONFLICT (repository_id, pull_number, head_sha) DO UPDATE SET installation_id = excluded.installation_id
     RETURNING due_at, run_id, refusal, approved_by`,
    [installationId, repositoryId, pullNumber, headSha],
  )
  return measurementRow.parse(row)
}

export async function keepDispatched(sql: Sql, key: MeasurementKey, runId: number): Promise<void> {
  await sql.query(
    `UPDATE memorymark.measurements SET run_id = $4, refusal = NULL, due_at = now()
     WHERE repository_id = $1 AND pull_number = $2 AND head_sha = $3`,
    [key.repositoryId, key.pullNumber, key.headSha, runId],
  )
}

/** `why` is a clause in our words. */
export async function keepRefusal(sql: Sql, key: MeasurementKey, why: string): Promise<void> {
  await sql.query(
    `UPDATE memorymark.measurements SET refusal = $4
     WHERE repository_id = $1 AND pull_number = $2 AND head_sha = $3`,
    [key.repositoryId, key.pullNumber, key.headSha, why],
  )
}

/** Approves measuring a commit of a fork; `by`: login of a person with write access. */
export async function approveMeasurement(sql: Sql, key: MeasurementKey, by: string): Promise<void> {
  await dueMeasurement(sql, key)
  // The deadline starts now, because waiting for approval is not waiting for a runner.
  await sql.query(
    `UPDATE memorymark.measurements SET approved_by = $4, due_at = now()
     WHERE repository_id = $1 AND pull_number = $2 AND head_sha = $3`,
    [key.repositoryId, key.pullNumber, key.headSha, by],
  )
}

/** The measurement for which we dispatched this run; undefined for other runs. */
export async function dispatchedFor(
  sql: Sql,
  { repositoryId }: RepositoryKey,
  runId: number,
): Promise<{ readonly pullNumber: number } | undefined> {
  const [row] = await sql.query(
    'SELECT pull_number FROM memorymark.measurements WHERE repository_id = $1 AND run_id = $2',
    [repositoryId, runId],
  )
  return row === undefined ? undefined : dispatchedRow.parse(row)
}

/** The run dispatched for a commit. */
export async function dispatchedAt(
  sql: Sql,
  { repositoryId }: RepositoryKey,
  headSha: string,
): Promise<number | undefined> {
  const [row] = await sql.query(
    'SELECT run_id FROM memorymark.measurements WHERE repository_id = $1 AND head_sha = $2 AND run_id IS NOT NULL',
    [repositoryId, headSha],
  )
  return row === undefined ? undefined : runRow.parse(row).run_id
}

const measurementRow = z
  .object({
    due_at: z.date(),
    run_id: z.coerce.number().nullable(),
    refusal: z.string().nullable(),
    approved_by: z.string().nullable(),
  })
  .transform(row => ({
    dueAt: row.due_at,
    runId: row.run_id ?? undefined,
    refusal: row.refusal ?? undefined,
    approvedBy: row.approved_by ?? undefined,
  }))

const dispatchedRow = z.object({ pull_number: z.number() }).transform(row => ({ pullNumber: row.pull_number }))
const runRow = z.object({ run_id: z.coerce.number() })

/** The result of reading a finished run. */
const takenOutcome = z.discriminatedUnion('kind', [
  /** Its report was stored among the measured configs. */
  z.object({ kind: z.literal('report') }),
  /** It has no report, or one about other configs. */
  z.object({ kind: z.literal('none') }),
  /** `why` is a clause in our words. */
  z.object({ kind: z.literal('unusable'), why: z.string() }),
])
export type TakenOutcome = z.infer<typeof takenOutcome>

export interface RunKey {
  readonly id: number
  readonly attempt: number
}

export async function takenRun(
  sql: Sql,
  { repositoryId, pullNumber }: MeasurementKey,
  run: RunKey,
): Promise<TakenOutcome | undefined> {
  const [row] = await sql.query(
    `SELECT outcome FROM memorymark.taken_runs
     WHERE repository_id = $1 AND pull_number = $2 AND run_id = $3 AND run_attempt = $4`,
    [repositoryId, pullNumber, run.id, run.attempt],
  )
  return row === undefined ? undefined : takenRow.parse(row).outcome
}

/** The runs among these that were already read, for any pull request. */
export async function seenRuns(
  sql: Sql,
  { repositoryId }: RepositoryKey,
  runIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await sql.query(
    'SELECT DISTINCT run_id FROM memorymark.taken_runs WHERE repository_id = $1 AND run_id = ANY($2::bigint[])',
    [repositoryId, runIds],
  )
  return new Set(rows.map(row => runRow.parse(row).run_id))
}

const takenRow = z.object({ outcome: takenOutcome })

export async function keepTakenRun(sql: Sql, key: MeasurementKey, run: RunKey, outcome: TakenOutcome): Promise<void> {
  await sql.query(
    `INSERT INTO memorymark.taken_runs
       (installation_id, repository_id, pull_number, head_sha, run_id, run_attempt, outcome)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
    [key.installationId, key.repositoryId, key.pullNumber, key.headSha, run.id, run.attempt, storableJson(outcome)],
  )
}

/** Makes a commit's measurements due again and its runs unread; approvals stay. */
export async function renewMeasurements(sql: Sql, { repositoryId }: RepositoryKey, headSha: string): Promise<void> {
  await sql.query(
    'UPDATE memorymark.measurements SET run_id = NULL, refusal = NULL, due_at = now() WHERE repository_id = $1 AND head_sha = $2',
    [repositoryId, headSha],
  )
  await sql.query('DELETE FROM memorymark.taken_runs WHERE repository_id = $1 AND head_sha = $2', [
    repositoryId,
    headSha,
  ])
}
