import { describe, expect, test } from 'vitest'
import { type Job, keyOf } from '../../../bot/queue/jobs.ts'
import { lendQueue } from './lent-queue.ts'

function pull(number: number, installationId = 1): Job {
  return {
    kind: 'pull-request',
    installationId,
    repositoryId: 10 + installationId,
    owner: 'acme',
    repo: 'models',
    number,
  }
}

/** In no order: what was sent at once is taken in any. */
const jobsOf = (taken: readonly { readonly job: Job }[]) => taken.map(({ job }) => keyOf(job)).sort()
const keysOf = (...jobs: readonly Job[]) => jobs.map(keyOf)

test('two jobs about the same are one while they wait', async () => {
  await using at = await lendQueue()
  await at.queue.send([pull(1), pull(2)])
  await at.queue.send([pull(1)])
  expect(jobsOf(await at.queue.take(10, 10))).toEqual(keysOf(pull(1), pull(2)))
})

test('what is sent while its like is worked on comes after it', async () => {
  await using at = await lendQueue()
  await at.queue.send([pull(1)])
  const [running] = await at.queue.take(10, 10)
  await at.queue.send([pull(1)])
  await at.queue.send([pull(1)])
  if (running === undefined) throw new Error('Nothing was taken')
  await at.queue.complete(running)
  expect(jobsOf(await at.queue.take(10, 10))).toEqual(keysOf(pull(1)))
})

test('what is sent in a transaction that fails was never sent', async () => {
  await using at = await lendQueue()
  const failing = at.database.transaction(async sql => {
    await at.queue.send([pull(1)], { sql })
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await at.queue.take(10, 10)).toEqual([])
})

test('one installation takes no more than its share, and another is not kept waiting', async () => {
  await using at = await lendQueue()
  await at.queue.send([1, 2, 3, 4, 5].map(number => pull(number, 1)))
  await at.queue.send([pull(1, 2)])
  const taken = [...(await at.queue.take(8, 2)), ...(await at.queue.take(8, 2))]
  expect(taken.map(({ job }) => 'installationId' in job && job.installationId).sort()).toEqual([1, 1, 2])
})

test('a merge group comes before what has waited longer', async () => {
  await using at = await lendQueue()
  const { installationId, repositoryId, owner, repo } = pull(1) as Extract<Job, { kind: 'pull-request' }>
  const place = { installationId, repositoryId, owner, repo }
  const group: Job = { kind: 'merge-group', ...place, headSha: 'a'.repeat(40), baseSha: 'b'.repeat(40) }
  await at.queue.send([pull(1)])
  await at.queue.send([pull(2)])
  await at.queue.send([group])
  expect(jobsOf(await at.queue.take(1, 10))).toEqual(keysOf(group))
  expect(jobsOf(await at.queue.take(10, 10))).toEqual(keysOf(pull(1), pull(2)))
})

test('a job that is put off is not taken before its time', async () => {
  await using at = await lendQueue()
  await at.queue.send([pull(1)])
  const [taken] = await at.queue.take(1, 1)
  if (taken === undefined) throw new Error('Nothing was taken')
  await at.queue.postpone(taken, 3_600)
  expect(await at.queue.take(10, 10)).toEqual([])
  expect((await at.queue.depth()).jobs).toEqual({ completed: 1, created: 1 })
})

describe('a job that fails', () => {
  test('waits longer before each further try', async () => {
    await using at = await lendQueue()
    await at.queue.send([pull(1)])
    const [taken] = await at.queue.take(1, 1)
    if (taken === undefined) throw new Error('Nothing was taken')
    await at.queue.fail(taken, new Error('no'))
    expect((await at.queue.depth()).jobs).toEqual({ retry: 1 })
    expect(await at.queue.takeGivenUp(1)).toEqual([])
  })

  test('too often is given up, and then taken to say so', async () => {
    await using at = await lendQueue()
    await at.queue.send([pull(1)])
    await at.database.query('UPDATE memorymark_queue.job SET retry_limit = 0')
    const [taken] = await at.queue.take(1, 1)
    if (taken === undefined) throw new Error('Nothing was taken')
    await at.queue.fail(taken, new Error('no'))
    expect(jobsOf(await at.queue.takeGivenUp(1))).toEqual(keysOf(pull(1)))
  })
})

test('a job that this version does not know is dropped', async () => {
  await using at = await lendQueue()
  await at.queue.send([pull(1)])
  await at.database.query(`UPDATE memorymark_queue.job SET data = '{"kind": "of another version"}'`)
  expect(await at.queue.take(1, 1)).toEqual([])
  expect((await at.queue.depth()).jobs).toEqual({ completed: 1 })
})
