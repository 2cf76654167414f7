/** `/memorymark snooze <days>`: until then the comment is not updated and waste does not block. */
import { keepSnooze } from '../store/snoozes.ts'
import { type Answer, told } from './answer.ts'
import type { Asked } from './asked.ts'

const DAY_MILLIS = 86_400_000

export async function snooze({ work, pull: { number }, by, commentId, at }: Asked, days: number): Promise<Answer> {
  const { database, queue, place } = work
  const until = new Date(at.getTime() + days * DAY_MILLIS)
  await database.transaction(async sql => {
    await keepSnooze(sql, place, number, { commentId, by, at, until })
    await queue.send([{ kind: 'pull-request', ...place, number }], { sql })
  })
  queue.announce()
  const date = until.toISOString().slice(0, 10)
  return told(
    `Until ${date} the comment stays as it is and the check does not block, unless a config runs out of memory.`,
  )
}
