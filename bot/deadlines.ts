/**
 * Enforces deadlines: queues another look at every check still in progress after its deadline, and at snoozes that have
 * ended.
 */
import type { Job } from './queue/jobs.ts'
import type { Queue } from './queue/queue.ts'
import type { Database } from './store/database.ts'
import { overdueChecks } from './store/open-checks.ts'
import type { PullPlace } from './store/pull-key.ts'
import { endSnoozes } from './store/snoozes.ts'

const MAX_AT_ONCE = 500

export async function enforceDeadlines(database: Database, queue: Queue): Promise<void> {
  const overdue = await overdueChecks(database, MAX_AT_ONCE)
  await queue.send(overdue.map(updateOf))
  await database.transaction(async sql => {
    const ended = await endSnoozes(sql, new Date())
    await queue.send(ended.map(updateOf), { sql })
  })
}

function updateOf({ pullNumber, installationId, repositoryId, owner, repo }: PullPlace): Job {
  return { kind: 'pull-request', installationId, repositoryId, owner, repo, number: pullNumber }
}
