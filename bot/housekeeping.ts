/** Once a day: deletes old data and data of uninstalled accounts, and refreshes every repository's schedule. */
import type { Logger } from 'probot'
import type { GitHubApp } from './installation.ts'
import type { Job } from './queue/jobs.ts'
import type { Queue } from './queue/queue.ts'
import type { Database } from './store/database.ts'
import { forgetDeliveries } from './store/deliveries.ts'
import { deleteInstallation, departedBefore, knownInstallations, noteDeparture } from './store/installations.ts'
import { forgetOlderThan } from './store/retention.ts'

export interface Retention {
  readonly keepDays: number
  /** Days between uninstalling and the deletion of the account's data. */
  readonly graceDays: number
}

export interface HousekeepingOptions extends Retention {
  readonly app: GitHubApp
  readonly database: Database
  readonly queue: Queue
  readonly log: Logger
  readonly signal: AbortSignal
  readonly now: Date
}

const DAY_MILLIS = 86_400_000

/** GitHub redelivers for three days. */
const KEEP_DELIVERIES_DAYS = 4

export async function keepHouse(options: HousekeepingOptions): Promise<void> {
  const { app, database, keepDays } = options
  await forgetOlderThan(database, keepDays)
  await forgetDeliveries(database, KEEP_DELIVERIES_DAYS)
  const asApp = await app.asApp()
  const installations = await asApp.paginate(asApp.rest.apps.listInstallations, { per_page: 100 })
  await forgetDeparted(options, new Set(installations.map(({ id }) => id)))
  for (const { id, suspended_at: suspendedAt } of installations) {
    if (suspendedAt === null || suspendedAt === undefined) await scheduleAll(options, id)
  }
}

/**
 * Asks GitHub who is still installed, since webhooks get lost: missed departures are noted, and data of an installation
 * that exists is never deleted.
 */
async function forgetDeparted(
  { database, queue, log, graceDays, now }: HousekeepingOptions,
  present: ReadonlySet<number>,
): Promise<void> {
  for (const id of await knownInstallations(database)) if (!present.has(id)) await noteDeparture(database, id, now)
  const due = await departedBefore(database, new Date(now.getTime() - graceDays * DAY_MILLIS))
  for (const id of due.filter(gone => !present.has(gone))) {
    await deleteInstallation(database, id)
    await queue.forgetSchedules(id)
    log.info({ installation: id }, 'Everything of an installation that left was deleted')
  }
}

async function scheduleAll({ app, queue, log, signal }: HousekeepingOptions, installationId: number): Promise<void> {
  try {
    const github = await app.inInstallation(installationId, signal)
    const repositories = await github.paginate(github.rest.apps.listReposAccessibleToInstallation, { per_page: 100 })
    await queue.send(
      repositories
        .filter(({ archived }) => !archived)
        .map(
          ({ id: repositoryId, name: repo, owner }): Job => ({
            kind: 'schedule',
            installationId,
            repositoryId,
            owner: owner.login,
            repo,
          }),
        ),
    )
  } catch (error) {
    signal.throwIfAborted()
    log.warn({ err: error, installation: installationId }, 'The repositories of an installation could not be listed')
  }
}
