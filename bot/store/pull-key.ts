/** A pull request as tables identify it. */
import * as z from 'zod'
import type { RepositoryKey } from './last-settings.ts'

/** A pull request by ids that never change. */
export interface PullKey extends RepositoryKey {
  readonly pullNumber: number
}

/** With the names of its repository. */
export interface PullPlace extends PullKey {
  readonly owner: string
  readonly repo: string
}

export const pullColumns = z.object({
  installation_id: z.coerce.number(),
  repository_id: z.coerce.number(),
  owner: z.string(),
  repo: z.string(),
  pull_number: z.number(),
})

export function pullPlaceIn(row: z.infer<typeof pullColumns>): PullPlace {
  return {
    installationId: row.installation_id,
    repositoryId: row.repository_id,
    owner: row.owner,
    repo: row.repo,
    pullNumber: row.pull_number,
  }
}
