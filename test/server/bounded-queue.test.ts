import { expect, test } from 'vitest'
import { BoundedQueue } from '../../server/bounded-queue.ts'

/** Items are names; each runs until it is told to end. */
function queueOf(running: number, waiting: number) {
  const told: string[] = []
  const ends = new Map<string, () => void>()
  const queue = new BoundedQueue<string>(
    { running, waiting },
    item => {
      told.push(`${item} runs`)
      return new Promise(resolve => ends.set(item, resolve))
    },
    (item, position) => told.push(`${item} is ${position}`),
  )
  const end = async (item: string) => {
    ends.get(item)?.()
    await new Promise(setImmediate)
  }
  return { queue, told, end }
}

test('first come, first served; whoever waits is told each new position', async () => {
  const { queue, told, end } = queueOf(1, 2)
  expect(['a', 'b', 'c'].map(item => queue.offer(item))).toEqual([true, true, true])
  expect(told.splice(0)).toEqual(['a is 1', 'a runs', 'b is 1', 'c is 2'])
  await end('a')
  expect(told.splice(0)).toEqual(['b runs', 'c is 1'])
  await end('b')
  expect(told.splice(0)).toEqual(['c runs'])
})

test('beyond its places nothing is taken, until one is free again', async () => {
  const { queue, end } = queueOf(1, 1)
  expect(['a', 'b', 'c'].map(item => queue.offer(item))).toEqual([true, true, false])
  await end('a')
  expect(queue.offer('c')).toBe(true)
})

test('several run where there are places for several', () => {
  const { queue, told } = queueOf(2, 1)
  for (const item of ['a', 'b', 'c']) queue.offer(item)
  expect(told).toEqual(['a is 1', 'a runs', 'b is 1', 'b runs', 'c is 1'])
})

test('what is withdrawn never runs, and those behind it move up', async () => {
  const { queue, told, end } = queueOf(1, 3)
  for (const item of ['a', 'b', 'c']) queue.offer(item)
  told.length = 0
  expect(queue.withdraw('b')).toBe(true)
  expect(told.splice(0)).toEqual(['c is 1'])
  await end('a')
  expect(told).toEqual(['c runs'])
})

test('what runs cannot be withdrawn', () => {
  const { queue } = queueOf(1, 1)
  queue.offer('a')
  expect(queue.withdraw('a')).toBe(false)
})
