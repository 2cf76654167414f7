import { expect, test } from 'vitest'
import { call, world } from './caller.ts'
import type { Mishap } from './faults.ts'
import { owner } from './index.ts'

const calm = { seed: 1, probability: 1, retryAfterSeconds: 3, maxLatencyMillis: 0 }

async function stormy(mishap: Mishap) {
  const at = await world()
  const { number } = await at.repository.openPullRequest({ files: { 'a.yaml': 'a: 2\n' } })
  const token = await at.github.botToken()
  at.github.storm({ ...calm, mishaps: [mishap] })
  const comment = () =>
    call(at.github, token, 'POST', `/repos/acme/models/issues/${number}/comments`, { body: 'hello' })
  const comments = () => at.repository.comments({ number })
  return { ...at, comment, comments, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() }
}

test.each([
  ['server error', 500, null],
  ['bad gateway', 502, null],
  ['secondary limit', 403, '3'],
  ['too many requests', 429, '3'],
] as const)('%s: the call is refused and nothing is written', async (mishap, status, retryAfter) => {
  await using at = await stormy(mishap)
  const answer = await at.comment()
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, retryAfter])
  expect(await at.comments()).toEqual([])
  expect(at.github.mishaps).toMatchObject({ judged: 1 })
  expect(at.github.mishaps.counts.get(mishap)).toBe(1)
})

test.each([
  ['cut before', 0],
  ['cut after', 1],
] as const)('%s: the answer is lost, and %i comments are written', async (mishap, written) => {
  await using at = await stormy(mishap)
  await expect(at.comment()).rejects.toThrow('fetch failed')
  expect(await at.comments()).toHaveLength(written)
})

test('people are never struck, and after the storm nobody is', async () => {
  await using at = await stormy('server error')
  expect((await call(at.github, owner.token, 'GET', '/repos/acme/models')).status).toBe(200)
  at.github.calm()
  expect((await at.comment()).status).toBe(201)
})

test('one call in ten is struck, the same ones for the same seed', async () => {
  const struck = async () => {
    await using at = await world()
    const token = await at.github.botToken()
    at.github.storm({ ...calm, probability: 0.1, seed: 6, mishaps: ['server error'] })
    const statuses = []
    for (let i = 0; i < 100; i++) statuses.push((await call(at.github, token, 'GET', '/repos/acme/models')).status)
    return statuses
  }
  const first = await struck()
  expect(first.filter(status => status === 500)).toHaveLength(10)
  expect(await struck()).toEqual(first)
})
