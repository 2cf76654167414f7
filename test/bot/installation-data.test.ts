import { beforeAll, expect, test } from 'vitest'
import { listen } from '../../bot/http.ts'
import { type DataPlace, deleteData, exportData } from '../../bot/installation-data.ts'
import { createLog } from '../../bot/log.ts'
import { keepAcceptance } from '../../bot/store/acceptances.ts'
import { openDatabase } from '../../bot/store/open.ts'
import { newDataFolder } from '../shared-builds.ts'

let place: DataPlace

beforeAll(async () => {
  // Nobody listens on port 1 of this machine.
  place = { database: { kind: 'folder', folder: await newDataFolder() }, host: '127.0.0.1', port: 1 }
  await using database = await openDatabase(place.database, error => {
    throw error
  })
  for (const installationId of [100, 200]) {
    const key = { installationId, repositoryId: installationId, pullNumber: 7 }
    const at = new Date('2026-11-20T00:00:00Z')
    await keepAcceptance(database, key, { commentId: installationId, by: 'mona', reason: 'shared', configs: [], at })
  }
})

async function lines(run: (write: (line: string) => void) => Promise<void>): Promise<string[]> {
  const written: string[] = []
  await run(line => written.push(line))
  return written
}

test('an installation is exported as lines of JSON, deleted, and gone; another is not', {
  timeout: 60_000,
}, async () => {
  const [row = ''] = await lines(write => exportData(place, 100, write))
  expect(JSON.parse(row)).toMatchObject({ table: 'acceptances', row: { accepted_by: 'mona', reason: 'shared' } })
  expect(await lines(write => deleteData(place, 100, write))).toEqual(['acceptances: 1 deleted'])
  expect(await lines(write => deleteData(place, 100, write))).toEqual(['Nothing was kept of this installation.'])
  expect(await lines(write => exportData(place, 200, write))).toHaveLength(1)
})

test('an embedded database is not opened beside the bot that it belongs to', async () => {
  const bot = await listen([], { host: '127.0.0.1', port: 0, log: createLog('silent') })
  const beside = { ...place, port: Number(new URL(bot.origin).port) }
  await expect(exportData(beside, 100, () => {})).rejects.toThrow('Stop it first')
  await bot.close()
})
