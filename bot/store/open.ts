/** Opens the database that `DATABASE_URL` names and migrates its tables. */
import type { Database } from './database.ts'
import { openEmbedded } from './embedded.ts'
import { migrate } from './migrations.ts'
import { connectPostgres } from './postgres.ts'

export type DatabasePlace =
  | { readonly kind: 'server'; readonly url: string }
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'memory' }

/** `onError` receives errors of idle connections. */
export async function openDatabase(place: DatabasePlace, onError: (error: Error) => void): Promise<Database> {
  const database = await connect(place, onError)
  try {
    await migrate(database)
    return database
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

async function connect(place: DatabasePlace, onError: (error: Error) => void): Promise<Database> {
  switch (place.kind) {
    case 'server':
      return connectPostgres(place.url, onError)
    case 'folder':
      return openEmbedded(place.folder)
    case 'memory':
      return openEmbedded(undefined)
  }
}
