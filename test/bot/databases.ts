/** Databases for tests: an embedded one takes a second to open and no time to empty, so tests hand one on. */
import type { Database, Exclusive, Row, Sql } from '../../bot/store/database.ts'
import { openDatabase } from '../../bot/store/open.ts'
import { newDataFolder } from '../shared-builds.ts'

const idle: Database[] = []

/** With all tables and nothing in them. Its end empties it for the next. */
export async function lendDatabase(): Promise<Database> {
  return new LentDatabase(
    idle.pop() ?? (await openDatabase({ kind: 'folder', folder: await newDataFolder() }, onError)),
  )
}

class LentDatabase implements Database {
  readonly #lent: Database

  constructor(lent: Database) {
    this.#lent = lent
  }

  get backend(): Database['backend'] {
    return this.#lent.backend
  }

  query(text: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    return this.#lent.query(text, values)
  }

  script(text: string): Promise<readonly Row[]> {
    return this.#lent.script(text)
  }

  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#lent.transaction(work)
  }

  exclusively<T>(key: string, work: (signal: AbortSignal) => Promise<T>): Promise<Exclusive<T>> {
    return this.#lent.exclusively(key, work)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await empty(this.#lent)
    idle.push(this.#lent)
  }
}

/** Row by row, since there are few: TRUNCATE makes the files of every table and index anew, which takes twenty times as long. */
async function empty(database: Database): Promise<void> {
  const tables = await database.query(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE (schemaname = 'memorymark' AND tablename <> 'migrations')
       OR (schemaname = 'memorymark_queue' AND tablename IN ('job', 'job_common', 'schedule'))`,
  )
  await database.script(tables.map(({ name }) => `DELETE FROM ${name};`).join(' '))
  await database.query(
    `SELECT setval(format('%I.%I', schemaname, sequencename), start_value, false) FROM pg_sequences
     WHERE schemaname IN ('memorymark', 'memorymark_queue')`,
  )
}

function onError(error: Error): void {
  throw error
}
