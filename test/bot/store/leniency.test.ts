import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { acceptancesOf, keepAcceptance } from '../../../bot/store/acceptances.ts'
import type { Database } from '../../../bot/store/database.ts'
import { endSnoozes, keepSnooze, snoozeOf } from '../../../bot/store/snoozes.ts'
import { lendDatabase } from '../databases.ts'
import { place } from './place.ts'

const key = { ...place, pullNumber: 7 }
let database: Database

beforeAll(async () => {
  database = await lendDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(() => database.script('TRUNCATE memorymark.acceptances; TRUNCATE memorymark.snoozes'))

const day = (number: number) => new Date(Date.UTC(2026, 10, number))

describe('acceptances', () => {
  const acceptance = (commentId: number, number = commentId) => ({
    commentId,
    by: 'mona',
    reason: 'shared',
    configs: [{ status: 'not-analysed', path: 'a.yaml' } as const],
    at: day(number),
  })

  test('of a pull request come back, newest first', async () => {
    await keepAcceptance(database, key, acceptance(1))
    await keepAcceptance(database, key, acceptance(2))
    await keepAcceptance(database, { ...key, pullNumber: 8 }, acceptance(3))
    expect(await acceptancesOf(database, key)).toEqual([acceptance(2), acceptance(1)])
  })

  test('are kept once for each comment', async () => {
    await keepAcceptance(database, key, acceptance(1))
    await keepAcceptance(database, key, { ...acceptance(1), reason: 'again' })
    expect(await acceptancesOf(database, key)).toEqual([acceptance(1)])
  })
})

describe('snoozes', () => {
  const snooze = (commentId: number, until: number) => ({
    commentId,
    by: 'mona',
    at: day(commentId),
    until: day(until),
  })

  test('the newest decides, though it ends sooner', async () => {
    await keepSnooze(database, place, 7, snooze(1, 20))
    await keepSnooze(database, place, 7, snooze(2, 10))
    expect(await snoozeOf(database, key)).toEqual(snooze(2, 10))
    expect(await snoozeOf(database, { ...key, pullNumber: 8 })).toBeUndefined()
  })

  test('that have ended are told once', async () => {
    await keepSnooze(database, place, 7, snooze(1, 10))
    await keepSnooze(database, place, 8, snooze(2, 12))
    expect(await endSnoozes(database, day(11))).toEqual([{ ...place, pullNumber: 7 }])
    expect(await endSnoozes(database, day(11))).toEqual([])
    expect(await endSnoozes(database, day(12))).toEqual([{ ...place, pullNumber: 8 }])
  })
})
