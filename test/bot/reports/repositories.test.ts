import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordOf } from '../../../bot/reports/record.ts'
import { KeptRepositories } from '../../../bot/reports/repositories.ts'
import { keepConfigRecords } from '../../../bot/store/config-records.ts'
import type { Database } from '../../../bot/store/database.ts'
import { keepDecision } from '../../../bot/store/decisions.ts'
import { keepLedgerEntries } from '../../../bot/store/ledger-entries.ts'
import { keepSurvey } from '../../../bot/store/surveys.ts'
import { type AnalysedConfig, ledgerEntryOf } from '../../../engine/index.ts'
import type { Decision, Page, PageRequest } from '../../../server/repositories.ts'
import { a10, fine, point, wasteful } from '../../render/fixtures.ts'
import { lendDatabase } from '../databases.ts'
import { place } from '../store/place.ts'

const models = { owner: 'acme', repo: 'models' }
const unknown = { owner: 'acme', repo: 'unknown' }
const day = (number: number) => new Date(Date.UTC(2026, 10, number))
const commit = 'a'.repeat(40)

let database: Database
let repositories: KeptRepositories

beforeAll(async () => {
  database = await lendDatabase()
  repositories = new KeptRepositories(database)
  for (const [repositoryId, repo] of [
    [1, 'models'],
    [2, 'vision'],
    [3, 'speech'],
  ] as const) {
    const survey = { owner: 'acme', repo, commit, configs: 3, blocked: 1, savingsPerYearUsd: 34, at: day(repositoryId) }
    await keepSurvey(database, { ...place, repositoryId }, survey)
  }
})
afterAll(() => database[Symbol.asyncDispose]())

/** Page by page until there is no next. */
async function all<T>(ask: (page: PageRequest) => Promise<Page<T> | undefined>, limit = 1): Promise<T[]> {
  const items: T[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < 20; pages++) {
    const page = await ask({ limit, ...(cursor !== undefined && { cursor }) })
    items.push(...(page?.items ?? []))
    cursor = page?.next
    if (cursor === undefined) return items
  }
  throw new Error('The pages do not end')
}

describe('repositories', () => {
  test('are listed page by page, the one looked at last first', async () => {
    const found = await all(page => repositories.list(page))
    expect(found.map(({ repo }) => repo)).toEqual(['speech', 'vision', 'models'])
    expect(found[2]).toEqual({
      ...models,
      configs: 3,
      blocked: 1,
      savingsPerYearUsd: 34,
      updatedAt: '2026-11-01T00:00:00.000Z',
    })
  })

  test('that are not known have nothing to tell', async () => {
    const page = { limit: 10 }
    expect(await repositories.configs(unknown, 'waste', page)).toBeUndefined()
    expect(await repositories.history(unknown, 'a.yaml', page)).toBeUndefined()
    expect(await repositories.ledger(unknown, page)).toBeUndefined()
    expect(await repositories.decisions(unknown, page)).toBeUndefined()
  })

  test.each(['nonsense', Buffer.from('{"at":1}').toString('base64url')])(
    'take no cursor that was not handed out: %s',
    async cursor => {
      await expect(repositories.list({ limit: 1, cursor })).rejects.toThrow('Start again without a cursor.')
    },
  )
})

describe('the configs of a branch', () => {
  const config = (path: string, peakGib: number, savingsPerYearUsd: number): AnalysedConfig =>
    wasteful({ path, savingsPerYearUsd, current: point({ peakBytes: peakGib * 2 ** 30 }) })
  const look = (number: number, configs: readonly AnalysedConfig[]) =>
    keepConfigRecords(
      database,
      place,
      configs.map(each => recordOf(each, commit, day(number))),
    )

  beforeAll(async () => {
    await look(1, [config('a.yaml', 2, 10), config('b.yaml', 4, 30), config('c.yaml', 3, 20)])
    // The same but for the day on which a price was read.
    const again = config('a.yaml', 2, 10)
    await look(2, [{ ...again, gpu: { ...a10, priceDate: '2026-11-02' } }, config('c.yaml', 3, 25)])
    await look(3, [config('a.yaml', 1, 10), config('c.yaml', 3, 25)])
  })

  test('come by waste or by cost, without those that are gone', async () => {
    const byWaste = await all(page => repositories.configs(models, 'waste', page))
    const byCost = await all(page => repositories.configs(models, 'cost', page))
    expect(byWaste.map(({ path }) => path)).toEqual(['a.yaml', 'c.yaml'])
    expect(byCost.map(({ path }) => path)).toEqual(['c.yaml', 'a.yaml'])
    for (const { speedup, speedupRange, savingsPerYearRangeUsd } of byCost) {
      expect(speedupRange?.low).toBeLessThan(speedup)
      expect(speedupRange?.high).toBeGreaterThan(speedup)
      expect(savingsPerYearRangeUsd?.high).toBeGreaterThan(savingsPerYearRangeUsd?.low ?? Number.POSITIVE_INFINITY)
    }
  })

  test('have a history of what changed, newest first, also once they are gone', async () => {
    const dates = async (path: string) =>
      (await all(page => repositories.history(models, path, page))).map(({ at }) => at.slice(0, 10))
    expect(await dates('a.yaml')).toEqual(['2026-11-03', '2026-11-01'])
    expect(await dates('b.yaml')).toEqual(['2026-11-01'])
    expect(await dates('never.yaml')).toEqual([])
  })
})

describe('the ledger', () => {
  const entry = (pullNumber: number, after: AnalysedConfig, accepted?: { by: string; reason: string }) =>
    ledgerEntryOf(
      { before: wasteful({ current: point({ samplesPerSecond: 300 }) }), after, accepted },
      { pullNumber, mergedAt: day(pullNumber).toISOString() },
    )

  beforeAll(() =>
    keepLedgerEntries(database, place, [
      entry(1, wasteful({ current: point({ microBatch: 128, samplesPerSecond: 400 }) })),
      entry(2, wasteful({ current: point({ samplesPerSecond: 300 }) }), { by: 'mona', reason: 'shared' }),
      entry(3, fine()),
    ]),
  )

  test('tells what was saved and what was accepted instead, newest first, and leaves out what did neither', async () => {
    expect(await all(page => repositories.ledger(models, page))).toEqual([
      {
        kind: 'accepted',
        pullRequest: 2,
        path: 'configs/bert-mnli.yaml',
        at: '2026-11-02T00:00:00.000Z',
        provenance: 'estimated',
        forgonePerYearUsd: 34,
        reason: 'shared',
      },
      {
        kind: 'saved',
        pullRequest: 1,
        path: 'configs/bert-mnli.yaml',
        at: '2026-11-01T00:00:00.000Z',
        provenance: 'estimated',
        savedPerYearUsd: 30,
        fromBatch: 16,
        toBatch: 128,
      },
    ])
  })

  test('adds up over all pages', async () => {
    const page = await repositories.ledger(models, { limit: 1 })
    expect(page?.totals).toEqual({ savedPerYearUsd: 30, forgonePerYearUsd: 34 })
  })
})

describe('decisions', () => {
  const common = (pullRequest: number, number: number) => ({
    pullRequest,
    title: 'Change',
    author: 'mona',
    at: day(number).toISOString(),
    configs: [{ path: 'a.yaml', verdict: wasteful().verdict }],
  })
  const blocked = (pullRequest: number, number: number): Decision => ({
    kind: 'blocked',
    ...common(pullRequest, number),
  })

  test('are the latest word on each pull request, newest first, and keep their time while they stay', async () => {
    await keepDecision(database, place, blocked(1, 1))
    await keepDecision(database, place, blocked(2, 2))
    await keepDecision(database, place, blocked(2, 9))
    await keepDecision(database, place, { kind: 'accepted', ...common(1, 5), acceptedBy: 'hubot', reason: 'shared' })
    const found = await all(page => repositories.decisions(models, page))
    expect(found.map(({ kind, pullRequest, at }) => [kind, pullRequest, at.slice(0, 10)])).toEqual([
      ['accepted', 1, '2026-11-05'],
      ['blocked', 2, '2026-11-02'],
    ])
  })
})
