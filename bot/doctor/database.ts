/** Checks that the database can be reached and written to, without leaving anything in it. */
import { access, constants, mkdir } from 'node:fs/promises'
import type { Database } from '../store/database.ts'
import type { DatabasePlace } from '../store/open.ts'
import { connectPostgres } from '../store/postgres.ts'
import type { Finding } from './finding.ts'

export async function examineDatabase(place: DatabasePlace): Promise<Finding> {
  switch (place.kind) {
    case 'memory':
      return {
        kind: 'remark',
        what: 'everything is kept in memory, and lost when the process ends',
        todo: 'Name a folder or a PostgreSQL server.',
      }
    case 'folder':
      return examineFolder(place.folder)
    case 'server':
      return examineServer(place.url)
  }
}

/** The embedded database is not opened, because a running bot may be using the folder. */
async function examineFolder(folder: string): Promise<Finding> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.R_OK | constants.W_OK)
    return { kind: 'well', what: `the folder of the embedded database is writable (${folder})` }
  } catch (error) {
    return {
      kind: 'fault',
      what: `the folder of the embedded database, ${folder}, is not writable (${codeOf(error)})`,
      todo: 'Make it writable for the user that runs the bot, or set DATABASE_URL to a PostgreSQL server.',
    }
  }
}

/** An idle connection that breaks is none of the doctor's concern: it asks once. */
const ignore = () => {}

async function examineServer(url: string): Promise<Finding> {
  try {
    await using database = connectPostgres(url, ignore)
    const version = await tryWriting(database)
    return { kind: 'well', what: `PostgreSQL ${version} answers and is writable` }
  } catch (error) {
    return {
      kind: 'fault',
      what: `PostgreSQL cannot be used (${codeOf(error)})`,
      todo: 'Check DATABASE_URL: the server must answer, and its user must be allowed to create schemas.',
    }
  }
}

class RolledBack extends Error {
  readonly version: string
  constructor(version: string) {
    super('Everything was written, and nothing is kept')
    this.version = version
  }
}

/** The server's version. The transaction is rolled back on purpose. */
async function tryWriting(database: Database): Promise<string> {
  try {
    return await database.transaction(async sql => {
      await sql.query('CREATE SCHEMA memorymark_doctor')
      await sql.query('CREATE TABLE memorymark_doctor.note (at timestamptz NOT NULL)')
      await sql.query('INSERT INTO memorymark_doctor.note (at) VALUES (now())')
      const [row] = await sql.query("SELECT current_setting('server_version') AS version")
      throw new RolledBack(String(row?.version))
    })
  } catch (error) {
    if (error instanceof RolledBack) return error.version
    throw error
  }
}

/** Never the message: it may hold the address with its password. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
