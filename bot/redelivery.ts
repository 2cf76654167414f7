/**
 * Has GitHub deliver again what nobody took: it does not try again by itself, but keeps each webhook for three days. What
 * cannot be found by looking at repositories, a command or a merge queue that waits, is made good only so.
 */
import type { GitHub } from './github.ts'

interface Attempt {
  readonly id: number
  /** The same for all attempts at one webhook. */
  readonly guid: string
  readonly delivered_at: string
  readonly status_code: number
}

/** A webhook that is refused each time is left alone in the end. */
const MAX_ATTEMPTS = 5

/** Of a hundred attempts each, newest first. */
const MAX_PAGES = 20

/** How many webhooks are to come again. What was taken before changes nothing when it does. */
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

/** Ids of the newest attempt at each webhook that nobody took, oldest first. */
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
