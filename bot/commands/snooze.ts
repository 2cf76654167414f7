/** `/memorymark snooze <days>`: the comment keeps still and waste does not block, until then. */
import type { PullRequest, Work } from '../github.ts'
import { keepSnooze } from '../store/snoozes.ts'
import { type Answer, told } from './answer.ts'
import type { CommandRequest } from './request.ts'

const DAY_MILLIS = 86_400_000

/** `at`: when the comment was written, so that a job that runs again does not move the end. */
export async function snooze(
  { database, queue, place }: Work,
  { number }: PullRequest,
  days: number,
  { author, commentId }: CommandRequest,
  at: Date,
): Promise<Answer> {
  const until = new Date(at.getTime() + days * DAY_MILLIS)
  await database.transaction(async sql => {
    await keepSnooze(sql, place, number, { commentId, by: author, at, until })
    await queue.send([{ kind: 'pull-request', ...place, number }], { sql })
  })
  queue.announce()
  const date = until.toISOString().slice(0, 10)
  return told(
    `Until ${date} the comment stays as it is and the check does not block, unless a config goes out of memory.`,
  )
}
