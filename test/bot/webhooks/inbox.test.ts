import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type Job, keyOf } from '../../../bot/queue/jobs.ts'
import type { Queue } from '../../../bot/queue/queue.ts'
import { Inbox } from '../../../bot/webhooks/inbox.ts'
import { lendQueue } from '../queue/lent-queue.ts'

function delivery(id: string, number: number) {
  const job: Job = { kind: 'pull-request', installationId: 1, repositoryId: 11, owner: 'acme', repo: 'models', number }
  return { id, name: 'pull_request', work: { jobs: [job] } }
}

async function world() {
  const { queue, database, ...lent } = await lendQueue()
  return { ...lent, queue, inbox: new Inbox(database, queue) }
}

const keysIn = async (queue: Queue) => (await queue.take(50, 50)).map(({ job }) => keyOf(job)).sort()

describe('deliveries that arrive together', () => {
  test('are taken together, each once', async () => {
    await using at = await world()
    const takings = await Promise.all([
      at.inbox.take(delivery('a', 1)),
      at.inbox.take(delivery('b', 2)),
      at.inbox.take(delivery('b', 2)),
    ])
    expect(takings).toEqual(['taken', 'taken', 'taken-before'])
    expect(await at.inbox.take(delivery('a', 3))).toBe('taken-before')
    expect(await keysIn(at.queue)).toEqual(['11/pull/1', '11/pull/2'])
  })

  test('do not suffer from one that the database refuses', async () => {
    await using at = await world()
    const takings = await Promise.allSettled([
      at.inbox.take(delivery('a', 1)),
      // More than a row of an index can hold.
      at.inbox.take(delivery(randomBytes(8_000).toString('hex'), 2)),
      at.inbox.take(delivery('c', 3)),
    ])
    expect(takings.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await keysIn(at.queue)).toEqual(['11/pull/1', '11/pull/3'])
  })
})
