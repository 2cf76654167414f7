/** A data folder that cannot be opened any more, in the bot as it is started. */
import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readdir, rm, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../bot/store/open.ts'
import { bareEnvironment } from '../../bare-environment.ts'
import { newDataFolder, sharedCommand } from '../../shared-builds.ts'

async function damagedFolder(damage: (folder: string) => Promise<void>): Promise<string> {
  const folder = await newDataFolder()
  await damage(folder)
  return folder
}

const damages = [
  ['an empty control file', (folder: string) => truncate(path.join(folder, 'global/pg_control'), 0)],
  ['no control file', (folder: string) => rm(path.join(folder, 'global/pg_control'))],
  ['no data', (folder: string) => rm(path.join(folder, 'base'), { recursive: true })],
  ['no write-ahead log', (folder: string) => rm(path.join(folder, 'pg_wal'), { recursive: true })],
  ['the version of another program', (folder: string) => writeFile(path.join(folder, 'PG_VERSION'), '9\n')],
  ['no version', (folder: string) => rm(path.join(folder, 'PG_VERSION'))],
] as const

test.each(damages)('with %s is refused by name, and nothing in it is deleted', async (_, damage) => {
  const folder = await damagedFolder(damage)
  const before = await contents(folder)

  await expect(openDatabase({ kind: 'folder', folder }, () => {})).rejects.toMatchObject({
    name: 'MemoryMarkError',
    problem: {
      code: 'database-damaged',
      file: folder,
      fix: expect.stringContaining('Put back a backup of the folder'),
    },
  })
  const after = await contents(folder)
  expect(before.filter(name => !after.includes(name))).toEqual([])
})

test('ends the bot with a sentence and exit code 2', async () => {
  const folder = await damagedFolder(folder => truncate(path.join(folder, 'global/pg_control'), 0))
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { status, stderr } = spawnSync(process.execPath, [await sharedCommand('memorymark-bot')], {
    encoding: 'utf8',
    timeout: 50_000,
    env: {
      ...bareEnvironment,
      APP_ID: '1',
      PRIVATE_KEY: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
      WEBHOOK_SECRET: 'secret-of-this-test',
      GITHUB_API_URL: 'http://127.0.0.1:1',
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: folder,
    },
  })

  expect(stderr).toContain(`${folder}: The database in this data folder cannot be opened: its files are damaged. `)
  expect(stderr).not.toContain('    at ')
  expect(status).toBe(2)
})

/** Names of all files but those that say who uses the folder now, and the cache that PostgreSQL makes anew at each start. */
async function contents(folder: string): Promise<readonly string[]> {
  return (await readdir(folder, { recursive: true })).filter(name => !/\.(sock|pid|init)$/.test(name))
}
