import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { examineDatabase } from '../../../bot/doctor/database.ts'
import { hasPostgres, PostgresCluster } from '../../../scripts/chaos/cluster.ts'

test('a database in memory is remarked on', async () => {
  expect(await examineDatabase({ kind: 'memory' })).toMatchObject({ kind: 'remark' })
})

test('a folder that can be written is well', async () => {
  const folder = path.join(await mkdtemp(path.join(tmpdir(), 'memorymark-doctor-')), 'data')
  expect(await examineDatabase({ kind: 'folder', folder })).toMatchObject({ kind: 'well' })
  await rm(path.dirname(folder), { recursive: true })
})

test.skipIf(process.getuid?.() === 0)('a folder that cannot be written is a fault', async () => {
  const parent = await mkdtemp(path.join(tmpdir(), 'memorymark-doctor-'))
  await chmod(parent, 0o500)
  const finding = await examineDatabase({ kind: 'folder', folder: path.join(parent, 'data') })
  expect(finding).toMatchObject({ kind: 'fault', what: expect.stringContaining('(EACCES)') })
  await rm(parent, { recursive: true })
})

test('a folder below a file is a fault', async () => {
  const finding = await examineDatabase({ kind: 'folder', folder: path.join(import.meta.filename, 'data') })
  expect(finding).toMatchObject({ kind: 'fault', what: expect.stringContaining('(ENOTDIR)') })
})

test('a server that does not answer is a fault, told without its password', async () => {
  const finding = await examineDatabase({ kind: 'server', url: 'postgres://bot:hidden-word@127.0.0.1:9/bot' })
  expect(finding).toMatchObject({ kind: 'fault', what: 'PostgreSQL cannot be used (ECONNREFUSED)' })
  expect(JSON.stringify(finding)).not.toContain('hidden-word')
})

test.skipIf(!hasPostgres)('a PostgreSQL server that can be written is well, and nothing is left behind', async () => {
  await using cluster = await PostgresCluster.start()
  const finding = await examineDatabase({ kind: 'server', url: cluster.url })
  expect(finding).toMatchObject({ kind: 'well', what: expect.stringMatching(/^PostgreSQL \d+\.\d+.* is writable$/) })
  expect(await schemasOf(cluster.url)).toEqual([])
})

test.skipIf(!hasPostgres)('a user that may not create schemas is a fault', async () => {
  await using cluster = await PostgresCluster.start()
  const client = new pg.Client(cluster.url)
  await client.connect()
  await client.query('CREATE ROLE reader LOGIN')
  await client.end()
  const finding = await examineDatabase({ kind: 'server', url: cluster.url.replace('//postgres@', '//reader@') })
  expect(finding).toMatchObject({ kind: 'fault', what: 'PostgreSQL cannot be used (42501)' })
})

async function schemasOf(url: string): Promise<readonly unknown[]> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'memorymark%'")
  await client.end()
  return rows
}
