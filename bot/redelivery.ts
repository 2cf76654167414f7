/**
 * Asks GitHub to redeliver webhooks that the bot did not accept. GitHub keeps them for three days but does not retry by
 * itself. Commands and merge queues depend on this, because reconciling, which looks at repositories, does not find
 * them.
 */
import type { GitHub } from './github.ts'

interface Attempt {
  readonly id: number
  /** The same for all attempts to deliver one webhook. */
  readonly guid: string
  readonly delivered_at: string
  readonly status_code: number
}

/** A webhook refused this often is not redelivered again. */
const MAX_ATTEMPTS = 5

/** Pages of a hundred attempts each, newest first. */
const MAX_PAGES = 20

/** Returns how many webhooks will be redelivered. One that was already accepted has no further effect. */
export async function redeliverMissed(asApp: GitHub, since: Date): Promise<number> {
  const missed = missedIn(await attemptsSince(asApp, since))
  for (const id of missed) await asApp.rest.apps.redeliverWebhookDelivery({ delivery_id: id })
  return missed.length
}

async function attemptsSince(asApp: GitHub, since: Date): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = []
  let pages = 0
  for await (const { data } of asApp.paginate.iterator(asApp.rest.apps.listWebhookDeliveries, { per_page: 100 })) {
    const recent = data.filter(({ delivered_at: at }) => Date.parse(at) >= since.getTime())
    attempts.push(...recent)
    pages += 1
    if (recent.length < data.length || pages === MAX_PAGES) break
  }
  return attempts
}

/** The id of the newest attempt for each webhook that was never accepted, oldest first. */
export function missedIn(newestFirst: readonly Attempt[]): readonly number[] {
  const byWebhook = Map.groupBy(newestFirst, ({ guid }) => guid)
  const missed = [...byWebhook.values()].filter(
    attempts => attempts.length < MAX_ATTEMPTS && !attempts.some(({ status_code: status }) => isTaken(status)),
  )
  return missed.flatMap(attempts => attempts.slice(0, 1).map(({ id }) => id)).reverse()
}

function isTaken(status: number): boolean {
  return status >= 200 && status < 300
}
