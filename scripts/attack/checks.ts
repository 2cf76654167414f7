/** How soon the bot's check on a pull request has come to its end. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type CheckRunJson, type EmulatedGitHub, memoryMarkApp } from '../../test/github/index.ts'
import type { Opened } from './attacked-repositories.ts'
import { GIVE_UP_MILLIS } from './surface.ts'

const LOOK_MILLIS = 25

export interface EndedCheck {
  /** From the delivery of the webhook; infinite where it has not ended. */
  readonly millis: number
  /** What the bot has on the commit. */
  readonly runs: readonly CheckRunJson[]
}

export async function endOfCheck(github: EmulatedGitHub, { repository, pullRequest }: Opened): Promise<EndedCheck> {
  const deliveredAt = deliveryOf(github, pullRequest.headSha)
  for (;;) {
    const all = await repository.checkRuns(pullRequest.headSha)
    const runs = all.filter(({ app }) => app?.id === memoryMarkApp.id)
    const millis = Date.now() - deliveredAt
    if (runs.some(({ status }) => status === 'completed')) return { millis, runs }
    if (millis > GIVE_UP_MILLIS) return { millis: Number.POSITIVE_INFINITY, runs }
    await sleep(LOOK_MILLIS)
  }
}

function deliveryOf({ deliveries }: EmulatedGitHub, headSha: string): number {
  const delivery = deliveries.findLast(({ event, body }) => event === 'pull_request' && body.includes(headSha))
  if (delivery === undefined) throw new Error(`GitHub has told nobody of ${headSha}.`)
  return Date.parse(delivery.deliveredAt)
}
