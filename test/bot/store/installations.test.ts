import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { keepAcceptance } from '../../../bot/store/acceptances.ts'
import type { Database } from '../../../bot/store/database.ts'
import {
  deleteInstallation,
  departedBefore,
  exportInstallation,
  noteDeparture,
} from '../../../bot/store/installations.ts'
import { ages, forgetOlderThan } from '../../../bot/store/retention.ts'
import { keepSnooze } from '../../../bot/store/snoozes.ts'
import { lendDatabase } from '../databases.ts'
import { place } from './place.ts'

let database: Database

beforeAll(async () => {
  database = await lendDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(() =>
  database.script(
    'TRUNCATE memorymark.acceptances; TRUNCATE memorymark.snoozes; TRUNCATE memorymark.departures; TRUNCATE memorymark.config_records',
  ),
)

const at = new Date('2026-11-20T00:00:00Z')

async function fill(installationId: number): Promise<void> {
  const there = { ...place, installationId, repositoryId: installationId }
  const commentId = installationId
  await keepAcceptance(database, { ...there, pullNumber: 7 }, { commentId, by: 'mona', reason: 'r', configs: [], at })
  await keepSnooze(database, there, 7, { commentId, by: 'mona', at, until: at })
}

async function exported(installationId: number) {
  const rows = []
  for await (const { table, row } of exportInstallation(database, installationId))
    rows.push([table, row.repo ?? row.reason])
  return rows
}

describe('of one installation', () => {
  test('every row of every table that has some is handed out', async () => {
    await fill(100)
    await fill(200)
    expect(await exported(100)).toEqual([
      ['acceptances', 'r'],
      ['snoozes', 'models'],
    ])
  })

  test('everything is deleted, and nothing of another', async () => {
    await fill(100)
    await fill(200)
    await noteDeparture(database, 100, at)
    const deleted = await deleteInstallation(database, 100)
    expect(deleted.filter(({ rows }) => rows > 0)).toEqual([
      { table: 'acceptances', rows: 1 },
      { table: 'departures', rows: 1 },
      { table: 'snoozes', rows: 1 },
    ])
    expect(await exported(100)).toEqual([])
    expect(await exported(200)).toHaveLength(2)
  })

  test('every table is known to hold its rows by name', async () => {
    const [row] = await database.query(
      `SELECT array_agg(table_name::text ORDER BY table_name) AS tables FROM information_schema.tables t
       WHERE table_schema = 'memorymark' AND NOT EXISTS (
         SELECT FROM information_schema.columns c
         WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name AND column_name = 'installation_id')`,
    )
    // What is of nobody: ids of webhooks, and the names of migrations.
    expect(row?.tables).toEqual(['deliveries', 'migrations'])
  })
})

test('an installation that left is due when its grace is over, however often it was told', async () => {
  await noteDeparture(database, 100, at)
  await noteDeparture(database, 100, new Date('2026-11-25T00:00:00Z'))
  expect(await departedBefore(database, at)).toEqual([])
  expect(await departedBefore(database, new Date('2026-11-20T00:00:01Z'))).toEqual([100])
})

test('what is older than the days to keep is forgotten, what is current of a repository is not', async () => {
  const old = new Date(Date.now() - 400 * 86_400_000)
  const key = { ...place, pullNumber: 7 }
  await keepAcceptance(database, key, { commentId: 1, by: 'mona', reason: 'old', configs: [], at: old })
  await keepAcceptance(database, key, { commentId: 2, by: 'mona', reason: 'new', configs: [], at: new Date() })
  for (const isCurrent of [true, false]) {
    await database.query(
      `INSERT INTO memorymark.config_records
         (installation_id, repository_id, path, recorded_at, is_current, waste, cost, facts, record)
       VALUES (100, 1, 'a.yaml', $1, $2, 0, 0, '', '{}')`,
      [old, isCurrent],
    )
  }
  await forgetOlderThan(database, 365)
  expect(await database.query('SELECT reason FROM memorymark.acceptances')).toEqual([{ reason: 'new' }])
  expect(await database.query('SELECT is_current FROM memorymark.config_records')).toEqual([{ is_current: true }])
})

test('every table is either aged, or known to stay small', async () => {
  const rows = await database.query("SELECT tablename FROM pg_tables WHERE schemaname = 'memorymark' ORDER BY 1")
  const unaged = rows.map(({ tablename }) => String(tablename)).filter(name => !Object.hasOwn(ages, name))
  // Configs and deliveries are aged by rules of their own; settings, departures and migrations are one row each.
  expect(unaged).toEqual(['config_records', 'deliveries', 'departures', 'last_settings', 'migrations'])
})
