/** `memorymark-bot export` and `memorymark-bot delete`: all stored data of one installation. */
import { MemoryMarkError } from '../engine/index.ts'
import type { Settings } from './settings.ts'
import type { Database } from './store/database.ts'
import { deleteInstallation, exportInstallation } from './store/installations.ts'
import { openDatabase } from './store/open.ts'

export type DataPlace = Pick<Settings, 'database' | 'host' | 'port'>

/** Writes one line of JSON for each row. */
export async function exportData(
  place: DataPlace,
  installationId: number,
  write: (line: string) => void,
): Promise<void> {
  await using database = await openUnused(place)
  for await (const row of exportInstallation(database, installationId)) write(JSON.stringify(row))
}

/** Permanent. If the App is still installed, new webhooks create new rows. */
export async function deleteData(
  place: DataPlace,
  installationId: number,
  write: (line: string) => void,
): Promise<void> {
  await using database = await openUnused(place)
  const deleted = await deleteInstallation(database, installationId)
  for (const { table, rows } of deleted.filter(({ rows }) => rows > 0)) write(`${table}: ${rows} deleted`)
  if (deleted.every(({ rows }) => rows === 0)) write('Nothing was kept of this installation.')
}

/** Refuses while the bot uses the database: an embedded database would be damaged by a second process. */
async function openUnused({ database, host, port }: DataPlace): Promise<Database> {
  if (database.kind === 'folder' && (await answers(`http://${host}:${port}/health`))) {
    throw new MemoryMarkError({
      code: 'database-in-use',
      message: `The bot is running, and the embedded database in ${database.folder} can be used by one process only`,
      fix: 'Stop it first; a PostgreSQL server (DATABASE_URL) can be shared.',
    })
  }
  return openDatabase(database, error => {
    throw error
  })
}

async function answers(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    () => true,
    () => false,
  )
}
