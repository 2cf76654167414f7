/** `/memorymark rerun`: as the button on the check does. */
import type { PullRequest, Work } from '../github.ts'
import { askForRerun } from '../store/reruns.ts'
import { type Answer, done } from './answer.ts'

export async function rerun({ database, queue, place }: Work, { headSha, number }: PullRequest): Promise<Answer> {
  await database.transaction(async sql => {
    await askForRerun(sql, { ...place, headSha })
    await queue.send([{ kind: 'pull-request', ...place, number }], { sql })
  })
  queue.announce()
  return done
}
