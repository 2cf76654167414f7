import { describe, expect, test } from 'vitest'
import type { Database } from '../../../bot/store/database.ts'
import { openDatabase } from '../../../bot/store/open.ts'
import { storable, storableJson } from '../../../bot/store/storable.ts'
import { hasPostgres, PostgresCluster } from '../../../scripts/chaos/cluster.ts'
import { lendDatabase } from '../databases.ts'

const hostile = ['\0', 'a\0b', '\uD800', 'a\uDC00b', '\uDC00\uD800', '\\\0', '\\\\u0000', '\\u0000']

test('keeps what can be kept as it is', () => {
  const at = new Date(0)
  for (const value of ['a', '😀', '\\u0000', 1, null, undefined, true, at]) expect(storable(value)).toBe(value)
  expect(storable({ a: ['b', { c: 1 }], at })).toEqual({ a: ['b', { c: 1 }], at })
})

test('puts a mark in place of what cannot, also in keys and lists', () => {
  expect(storable({ 'a\0': ['\uD800b', { c: '\0' }] })).toEqual({ 'a\uFFFD': ['\uFFFDb', { c: '\uFFFD' }] })
})

describe.each([
  { name: 'the embedded database', isHere: true, open: openForTest },
  { name: 'PostgreSQL', isHere: hasPostgres, open: openServer },
])('$name', ({ isHere, open }) => {
  test.skipIf(!isHere)('takes any text, in a column, in a list and in JSON', async () => {
    const { database, close } = await open()
    for (const text of hostile) {
      const values = [text, [text], storableJson({ [text]: text })]
      const [row] = await database.query('SELECT $1::text AS text, $2::text[] AS list, $3::jsonb AS json', values)
      const kept = storable(text)
      expect(row).toEqual({ text: kept, list: [kept], json: { [kept]: kept } })
      const [inside] = await database.transaction(sql => sql.query('SELECT $1::text AS text', [text]))
      expect(inside).toEqual({ text: kept })
    }
    await close()
  })
})

async function openForTest(): Promise<{ database: Database; close: () => Promise<void> }> {
  const database = await lendDatabase()
  return { database, close: async () => database[Symbol.asyncDispose]() }
}

async function openServer(): Promise<{ database: Database; close: () => Promise<void> }> {
  const cluster = await PostgresCluster.start()
  const database = await openDatabase({ kind: 'server', url: cluster.url }, () => {})
  return {
    database,
    close: async () => {
      await database[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
    },
  }
}
