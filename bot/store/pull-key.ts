/** A pull request, as tables tell which one is meant. */
import * as z from 'zod'
import type { RepositoryKey } from './last-settings.ts'

/** A pull request by what never changes. */
export interface PullKey extends RepositoryKey {
  readonly pullNumber: number
}

/** The same with the names that its repository had. */
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
