/** One contract, two databases: what holds on PostgreSQL holds on the embedded one. */
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../bot/store/database.ts'
import { claimDeliveries } from '../../../bot/store/deliveries.ts'
import { migrate } from '../../../bot/store/migrations.ts'
import { openDatabase } from '../../../bot/store/open.ts'
import { hasPostgres, PostgresCluster } from '../../../scripts/chaos/cluster.ts'

const ignore = () => {}

const backends = [
  {
    name: 'the embedded database',
    isHere: true,
    open: async () => ({ database: await openDatabase({ kind: 'memory' }, ignore), close: async () => {} }),
  },
  {
    name: 'PostgreSQL',
    isHere: hasPostgres,
    open: async () => {
      const cluster = await PostgresCluster.start()
      const database = await openDatabase({ kind: 'server', url: cluster.url }, ignore)
      return { database, close: () => cluster[Symbol.asyncDispose]() }
    },
  },
]

describe.each(backends)('$name', ({ isHere, open }) => {
  describe.skipIf(!isHere)('', () => {
    let database: Database
    let close: () => Promise<void> = async () => {}

    beforeAll(async () => {
      const opened = await open()
      database = opened.database
      close = opened.close
      await database.query('CREATE TABLE things (name text PRIMARY KEY)')
    })
    afterAll(async () => {
      await database?.[Symbol.asyncDispose]()
      await close()
    })
    const names = async () => (await database.query('SELECT name FROM things ORDER BY name')).map(({ name }) => name)

    test('keeps what a transaction did when its work resolves', async () => {
      await database.transaction(sql => sql.query('INSERT INTO things VALUES ($1)', ['kept']))
      expect(await names()).toEqual(['kept'])
    })

    test('keeps nothing of a transaction whose work rejects, and goes on', async () => {
      const failing = database.transaction(async sql => {
        await sql.query('INSERT INTO things VALUES ($1)', ['lost'])
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(await names()).toEqual(['kept'])
    })

    test('tells a statement that it refuses, with the code, and goes on', async () => {
      await expect(database.query('INSERT INTO things VALUES ($1)', ['kept'])).rejects.toMatchObject({ code: '23505' })
      await expect(database.script('BEGIN; INSERT INTO nothing VALUES (1); COMMIT')).rejects.toMatchObject({
        code: '42P01',
      })
      expect(await names()).toEqual(['kept'])
    })

    test('lets one at a time hold a key, and others hold others', async () => {
      const release = Promise.withResolvers<void>()
      const held = Promise.withResolvers<void>()
      const first = database.exclusively('a', async () => {
        held.resolve()
        await release.promise
        return 1
      })
      await held.promise
      expect(await database.exclusively('a', async () => 2)).toEqual({ kind: 'busy' })
      expect(await database.exclusively('b', async () => 3)).toEqual({ kind: 'done', value: 3 })
      release.resolve()
      expect(await first).toEqual({ kind: 'done', value: 1 })
      expect(await database.exclusively('a', async () => 4)).toEqual({ kind: 'done', value: 4 })
    })

    test('lets go of a key when the work fails', async () => {
      const failing = database.exclusively('c', async () => {
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(await database.exclusively('c', async () => 1)).toEqual({ kind: 'done', value: 1 })
    })

    test('is migrated once, however often and by how many at once', async () => {
      const counting = {
        name: 'counting',
        statements: ['CREATE TABLE counting (n int)', 'INSERT INTO counting VALUES (1)'],
      }
      await Promise.all([migrate(database, [counting]), migrate(database, [counting])])
      await migrate(database, [counting])
      expect(await database.query('SELECT n FROM counting')).toEqual([{ n: 1 }])
    })

    test('a delivery is claimed once, by however many at once', async () => {
      const delivery = { id: 'one', event: 'pull_request' }
      const claims = await Promise.all([1, 2, 3].map(() => claimDeliveries(database, [delivery])))
      expect(claims.map(claimed => claimed.size).sort()).toEqual([0, 0, 1])
    })
  })
})

describe('a data folder', () => {
  test('keeps what it holds, and is one process’s at a time', async () => {
    await using temporary = await mkdtempDisposable(path.join(tmpdir(), 'memorymark-test-'))
    const place = { kind: 'folder', folder: path.join(temporary.path, 'data') } as const
    const first = await openDatabase(place, ignore)
    await claimDeliveries(first, [{ id: 'one', event: 'pull_request' }])
    await expect(openDatabase(place, ignore)).rejects.toThrow('Another bot is using this data folder')
    await first[Symbol.asyncDispose]()

    const second = await openDatabase(place, ignore)
    expect(await second.query('SELECT id FROM memorymark.deliveries')).toEqual([{ id: 'one' }])
    await second[Symbol.asyncDispose]()
  })
})
