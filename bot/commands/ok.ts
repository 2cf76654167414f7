/** `/memorymark ok <sha>`: approves measuring that commit of a fork on the GPU runner, and no later one. */
import { inlineCode } from '../../engine/index.ts'
import { approveMeasurement } from '../store/measurements.ts'
import { type Answer, declined, done } from './answer.ts'
import type { Asked } from './asked.ts'

export async function ok({ work, pull, by }: Asked, sha: string): Promise<Answer> {
  const { database, queue, place } = work
  const { number, headSha } = pull
  if (!pull.isFork) {
    return declined('This pull request comes from this repository itself, so its measurement needs no approval.')
  }
  if (sha !== headSha) {
    // The full SHA is needed: another commit with the same first digits is easily made and pushed between review and
    // job.
    const why = headSha.startsWith(sha)
      ? 'Other commits can begin with the same digits, so the whole SHA is needed.'
      : 'That is not the newest commit of this pull request.'
    return declined(
      `${why} The newest is ${inlineCode(headSha)}: review what it changes, then write ${inlineCode(`/memorymark ok ${headSha}`)}.`,
    )
  }
  await database.transaction(async sql => {
    await approveMeasurement(sql, { ...place, pullNumber: number, headSha }, by)
    await queue.send([{ kind: 'pull-request', ...place, number }], { sql })
  })
  queue.announce()
  return done
}
