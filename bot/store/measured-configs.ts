/**
 * Configs reported by workflow runs, by the blobs before and after the change; a result holds for any commit with the
 * same blobs.
 */
import * as z from 'zod'
import { configKey, type Policy, policy, type Report, report } from '../../engine/index.ts'
import type { Sql } from './database.ts'
import type { RepositoryKey } from './last-settings.ts'
import type { Migration } from './migration.ts'
import { storableJson } from './storable.ts'

export const measuredConfigsTable: Migration = {
  name: 'measured-configs',
  statements: [
    `CREATE TABLE memorymark.measured_configs (
      installation_id bigint NOT NULL,
      repository_id bigint NOT NULL,
      path text NOT NULL,
      blob_sha text NOT NULL,
      base_blob_sha text NOT NULL,
      head_sha text NOT NULL,
      result jsonb NOT NULL,
      policy jsonb NOT NULL,
      run_id bigint NOT NULL,
      pull_number integer NOT NULL,
      reported_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (repository_id, path, blob_sha, base_blob_sha)
    )`,
    'CREATE INDEX measured_configs_by_installation ON memorymark.measured_configs (installation_id, reported_at)',
  ],
}

export interface ConfigBlob {
  /** The file's path, with the line of the training if it starts several. */
  readonly path: string
  readonly blobSha: string
}

/** The blob before the change too, since the verdict depends on it. */
export interface ChangedBlob extends ConfigBlob {
  /** Empty where the base has no such file. */
  readonly baseBlobSha: string
}

export interface ReportedConfig extends ChangedBlob {
  readonly result: Report['configs'][number]
  readonly policy: Policy
  readonly runId: number
  readonly pullNumber: number
}

/** The blob of each of these configs, by its key. */
export function blobsOf(configs: Report['configs'], blobs: readonly ConfigBlob[]): readonly ConfigBlob[] {
  const shas = new Map(blobs.map(({ path, blobSha }) => [path, blobSha]))
  return configs.flatMap(config => {
    const blobSha = shas.get(config.path)
    return blobSha === undefined ? [] : [{ path: configKey(config), blobSha }]
  })
}

/**
 * Known results for these blobs, one for each base. A measurement holds on any commit; an estimate by a workflow run
 * only on its own commit.
 */
export async function reportedConfigs(
  sql: Sql,
  { repositoryId }: RepositoryKey,
  headSha: string,
  blobs: readonly ConfigBlob[],
): Promise<readonly ReportedConfig[]> {
  const rows = await sql.query(
    `SELECT path, blob_sha, base_blob_sha, result, policy, run_id, pull_number FROM memorymark.measured_configs
     JOIN unnest($3::text[], $4::text[]) AS wanted (path, blob_sha) USING (path, blob_sha)
     WHERE repository_id = $1 AND (head_sha = $2 OR result->>'provenance' = 'measured')`,
    [repositoryId, headSha, blobs.map(({ path }) => path), blobs.map(({ blobSha }) => blobSha)],
  )
  return rows.map(row => reportedRow.parse(row))
}

const reportedRow = z
  .object({
    path: z.string(),
    blob_sha: z.string(),
    base_blob_sha: z.string(),
    result: report.shape.configs.element,
    policy,
    run_id: z.coerce.number(),
    pull_number: z.number(),
  })
  .transform(({ blob_sha, base_blob_sha, run_id, pull_number, ...row }) => ({
    ...row,
    blobSha: blob_sha,
    baseBlobSha: base_blob_sha,
    runId: run_id,
    pullNumber: pull_number,
  }))

export async function keepReported(
  sql: Sql,
  key: RepositoryKey,
  headSha: string,
  reported: readonly ReportedConfig[],
): Promise<void> {
  for (const { path, blobSha, baseBlobSha, result, policy, runId, pullNumber } of reported) {
    await sql.query(
      `INSERT INTO memorymark.measured_configs
         (installation_id, repository_id, path, blob_sha, base_blob_sha, head_sha, result, policy, run_id, pull_number)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       ON CONFLICT (repository_id, path, blob_sha, base_blob_sha) DO UPDATE SET
         head_sha = excluded.head_sha, result = excluded.result, policy = excluded.policy, run_id = excluded.run_id,
         pull_number = excluded.pull_number, reported_at = now()`,
      [
        key.installationId,
        key.repositoryId,
        path,
        blobSha,
        baseBlobSha,
        headSha,
        storableJson(result),
        storableJson(policy),
        runId,
        pullNumber,
      ],
    )
  }
}
