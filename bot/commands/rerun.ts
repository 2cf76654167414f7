/** `/memorymark rerun`: the same as the button on the check. */
import { askForRerun } from '../store/reruns.ts'
import { type Answer, done } from './answer.ts'
import type { Asked } from './asked.ts'

export async function rerun({ work, pull: { headSha, number } }: Asked): Promise<Answer> {
  const { database, queue, place } = work
  await database.transaction(async sql => {
    await askForRerun(sql, { ...place, headSha })
    await queue.send([{ kind: 'pull-request', ...place, number }], { sql })
  })
  queue.announce()
  return done
}
