/** `DATABASE_URL` decides where things are kept; either way the tables are brought up to date first. */
import type { Database } from './database.ts'
import { openEmbedded } from './embedded.ts'
import { migrate } from './migrations.ts'
import { connectPostgres } from './postgres.ts'

export type DatabasePlace =
  | { readonly kind: 'server'; readonly url: string }
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'memory' }

/** `onError` hears of connections that break while nobody uses them. */
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
