import { expect, test } from 'vitest'
import { SerialQueue } from '../../bot/queue.ts'

test('jobs of one key run one after the other, and another key does not wait for them', async () => {
  const queue = new SerialQueue()
  const release = Promise.withResolvers<void>()
  const order: string[] = []
  queue.enqueue('a', async () => {
    await release.promise
    order.push('a1')
  })
  queue.enqueue('a', async () => {
    order.push('a2')
  })
  queue.enqueue('b', async () => {
    order.push('b1')
    release.resolve()
  })
  await queue.idle()

  expect(order).toEqual(['b1', 'a1', 'a2'])
})

test('idle waits for jobs that jobs enqueue', async () => {
  const queue = new SerialQueue()
  const order: string[] = []
  queue.enqueue('a', async () => {
    queue.enqueue('b', async () => {
      await Promise.resolve()
      order.push('inner')
    })
    order.push('outer')
  })
  await queue.idle()

  expect(order).toEqual(['outer', 'inner'])
})
