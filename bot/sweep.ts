/** Ends what would hang: every check that was left in progress is looked at again by its deadline. */
import type { Job } from './queue/jobs.ts'
import type { Queue } from './queue/queue.ts'
import type { Database } from './store/database.ts'
import { overdueChecks } from './store/open-checks.ts'

const MAX_AT_ONCE = 500

export async function sweep(database: Database, queue: Queue): Promise<void> {
  const overdue = await overdueChecks(database, MAX_AT_ONCE)
  await queue.send(
    overdue.map(
      ({ installationId, repositoryId, owner, repo, pullNumber }): Job => ({
        kind: 'pull-request',
        installationId,
        repositoryId,
        owner,
        repo,
        number: pullNumber,
      }),
    ),
  )
}
