/**
 * Asks GitHub to redeliver webhooks that the bot did not accept. GitHub keeps them for three days but does not retry by
 * itself. Commands and merge queues depend on this, because reconciling, which looks at repositories, does not find
 * them.
 */
import type { Logger } from 'probot'
import type { GitHub, GitHubApp } from './installation.ts'

interface Attempt {
  readonly id: number
  /** The same for all attempts to deliver one webhook. */
  readonly guid: string
  readonly delivered_at: string
  /** Whether somebody asked for it; false for the first attempt, which GitHub makes by itself. */
  readonly redelivery: boolean
  readonly status_code: number
}

const MINUTE_MILLIS = 60_000

/**
 * How far back each round looks: a time, and pages of a hundred attempts each, newest first, within the 5,000 calls of an hour that
 * GitHub allows the App.
 */
const lookbacks = {
  /** Each minute, since a merge queue stands still for want of a check: what has just been lost. */
  minute: { millis: 10 * MINUTE_MILLIS, pages: 10 },
  /** Every ten minutes: what was refused again and again. */
  active: { millis: 60 * MINUTE_MILLIS, pages: 50 },
  /** When the bot starts: as long as GitHub keeps them. */
  all: { millis: 72 * 60 * MINUTE_MILLIS, pages: 200 },
} as const
export type RedeliveryRound = keyof typeof lookbacks

/** A webhook refused this often is not redelivered again. */
const MAX_ATTEMPTS = 8

/** In one round; the others follow in the next, so that GitHub does not see a flood of calls. */
const MAX_AT_ONCE = 100

/** A webhook that was already accepted has no further effect. */
export async function redeliverMissed(
  { app, log }: { readonly app: GitHubApp; readonly log: Logger },
  round: RedeliveryRound,
): Promise<void> {
  const asApp = await app.asApp()
  const now = new Date()
  const missed = missedIn(await attemptsOf(asApp, round, now), now).slice(0, MAX_AT_ONCE)
  for (const id of missed) await asApp.rest.apps.redeliverWebhookDelivery({ delivery_id: id })
  if (missed.length > 0) log.info({ count: missed.length }, 'GitHub was asked to deliver again what nobody took')
}

async function attemptsOf(asApp: GitHub, round: RedeliveryRound, now: Date): Promise<readonly Attempt[]> {
  const { millis, pages } = lookbacks[round]
  const attempts: Attempt[] = []
  const since = now.getTime() - millis
  let read = 0
  for await (const { data } of asApp.paginate.iterator(asApp.rest.apps.listWebhookDeliveries, { per_page: 100 })) {
    const recent = data.filter(({ delivered_at: at }) => Date.parse(at) >= since)
    attempts.push(...recent)
    read += 1
    if (recent.length < data.length || read === pages) break
  }
  return attempts
}

/**
 * The id of the newest attempt for each webhook that was never accepted and is due again, oldest first. Who looks less
 * far back than the first attempt cannot tell how many there were, and leaves it to a round that does.
 */
export function missedIn(newestFirst: readonly Attempt[], now: Date): readonly number[] {
  const byWebhook = Map.groupBy(newestFirst, ({ guid }) => guid)
  return [...byWebhook.values()]
    .filter(
      attempts =>
        attempts.some(({ redelivery }) => !redelivery) &&
        !attempts.some(({ status_code: status }) => isTaken(status)) &&
        isDue(attempts, now),
    )
    .flatMap(attempts => attempts.slice(0, 1).map(({ id }) => id))
    .reverse()
}

/** At once after the first attempt, then after one minute, two, four and so on. */
function isDue(attempts: readonly Attempt[], now: Date): boolean {
  const [newest] = attempts
  const count = attempts.length
  if (newest === undefined || count >= MAX_ATTEMPTS) return false
  const pause = count === 1 ? 0 : MINUTE_MILLIS * 2 ** (count - 2)
  return now.getTime() - Date.parse(newest.delivered_at) >= pause
}

function isTaken(status: number): boolean {
  return status >= 200 && status < 300
}
