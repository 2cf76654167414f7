import { describe, expect, test } from 'vitest'
import { defaultGpu } from '../../engine/gpus/catalogue.ts'
import { reportedGpu } from '../../engine/report/other-gpus.ts'
import type { ConfigRecord, Repositories } from '../../server/repositories.ts'
import { Asking } from './asking.ts'

const sha = 'a'.repeat(40)
const point = {
  microBatch: 16,
  gradientAccumulation: 1,
  effectiveBatch: 16,
  fits: true,
  peakBytes: 2 ** 31,
  samplesPerSecond: 100,
  costPerRunUsd: 1.2,
}
const record: ConfigRecord = {
  path: 'configs/bert.yaml',
  model: 'google-bert/bert-base-uncased',
  gpu: reportedGpu(defaultGpu),
  commit: sha,
  at: '2026-03-01T12:00:00.000Z',
  provenance: 'measured',
  errorBandPercent: 0,
  throughputProvenance: 'measured',
  current: point,
  recommended: { ...point, microBatch: 128 },
  speedup: 1.4,
  savingsPerYearUsd: 34,
  verdict: { state: 'blocked', reasons: [] },
}

/** Knows `acme/models` and writes down what it is asked. */
function repositoriesOf(asked: unknown[]): Repositories {
  const known = <T>(answer: T, ...question: readonly unknown[]) => {
    asked.push(question)
    return Promise.resolve(JSON.stringify(question).includes('"repo":"models"') ? answer : undefined)
  }
  return {
    list: async page => {
      asked.push(['list', page])
      const summary = {
        owner: 'acme',
        repo: 'models',
        configs: 3,
        blocked: 1,
        savingsPerYearUsd: 34,
        updatedAt: record.at,
      }
      return { items: [summary], next: 'after-models' }
    },
    configs: (...question) => known({ items: [record] }, 'configs', ...question),
    history: (...question) => known({ items: [record] }, 'history', ...question),
    ledger: (...question) =>
      known({ items: [], totals: { savedPerYearUsd: 100, forgonePerYearUsd: 5 } }, 'ledger', ...question),
    decisions: (...question) => known({ items: [] }, 'decisions', ...question),
  }
}

describe('with a bot', () => {
  test('repositories come page by page', async () => {
    const asked: unknown[] = []
    await using asking = new Asking({ repositories: repositoriesOf(asked) })
    const { status, body } = await asking.get('/v1/repositories?limit=1&cursor=after-none')
    expect([status, body]).toMatchObject([200, { items: [{ owner: 'acme', repo: 'models' }], next: 'after-models' }])
    expect(asked).toEqual([['list', { limit: 1, cursor: 'after-none' }]])
  })

  test('configs come by waste unless asked by cost, with their provenance', async () => {
    const asked: unknown[] = []
    await using asking = new Asking({ repositories: repositoriesOf(asked) })
    const repository = { owner: 'acme', repo: 'models' }
    const { body } = await asking.get('/v1/repositories/acme/models/configs')
    expect(body).toEqual({ items: [record] })
    await asking.get('/v1/repositories/acme/models/configs?order=cost')
    expect(asked).toEqual([
      ['configs', repository, 'waste', { limit: 25 }],
      ['configs', repository, 'cost', { limit: 25 }],
    ])
  })

  test('history is of one path, which may hold slashes', async () => {
    const asked: unknown[] = []
    await using asking = new Asking({ repositories: repositoriesOf(asked) })
    const { status } = await asking.get('/v1/repositories/acme/models/history?path=configs%2Fbert.yaml')
    expect(status).toBe(200)
    expect(asked).toEqual([['history', { owner: 'acme', repo: 'models' }, 'configs/bert.yaml', { limit: 25 }]])
    expect((await asking.get('/v1/repositories/acme/models/history')).status).toBe(400)
  })

  test('the ledger has its totals, decisions their page', async () => {
    await using asking = new Asking({ repositories: repositoriesOf([]) })
    const ledger = await asking.get('/v1/repositories/acme/models/ledger')
    expect(ledger.body).toEqual({ items: [], totals: { savedPerYearUsd: 100, forgonePerYearUsd: 5 } })
    expect((await asking.get('/v1/repositories/acme/models/decisions')).body).toEqual({ items: [] })
  })

  test.each(['configs', 'history?path=a.yaml', 'ledger', 'decisions'])(
    'the %s of a repository that the bot does not know is 404 with what to do',
    async route => {
      await using asking = new Asking({ repositories: repositoriesOf([]) })
      const answer = await asking.get(`/v1/repositories/acme/other/${route}`)
      expect(answer).toMatchObject({ status: 404, body: { problems: [{ code: 'unknown-repository' }] } })
    },
  )

  test.each(['limit=0', 'limit=101', 'limit=x', 'cursor=', 'order=name'])('?%s is refused', async query => {
    await using asking = new Asking({ repositories: repositoriesOf([]) })
    expect((await asking.get(`/v1/repositories/acme/models/configs?${query}`)).status).toBe(400)
  })

  test.each(['a%20b/models', 'acme/..%2f..', 'acme/mod%00els', `${'a'.repeat(101)}/models`])(
    'the name %s is refused',
    async name => {
      const asked: unknown[] = []
      await using asking = new Asking({ repositories: repositoriesOf(asked) })
      expect((await asking.get(`/v1/repositories/${name}/configs`)).status).toBe(400)
      expect(asked).toEqual([])
    },
  )
})

test('without a bot every route says whom to ask', async () => {
  await using asking = new Asking()
  for (const route of [
    '',
    '/acme/models/configs',
    '/acme/models/history?path=a.yaml',
    '/acme/models/ledger',
    '/acme/models/decisions',
  ]) {
    const answer = await asking.get(`/v1/repositories${route}`)
    expect(answer).toMatchObject({ status: 404, body: { problems: [{ code: 'no-repositories' }] } })
  }
})
