/** Databases for tests: an embedded one takes seconds to make and no time to empty, so a file's tests hand one on. */
import type { Database } from '../../bot/store/database.ts'
import { openDatabase } from '../../bot/store/open.ts'

const idle: Database[] = []

export interface Lent extends AsyncDisposable {
  readonly database: Database
}

/** With all tables and nothing in them. */
export async function lendDatabase(): Promise<Lent> {
  const database = idle.pop() ?? (await openDatabase({ kind: 'memory' }, onError))
  return {
    database,
    [Symbol.asyncDispose]: async () => {
      await empty(database)
      idle.push(database)
    },
  }
}

async function empty(database: Database): Promise<void> {
  const tables = await database.query(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE (schemaname = 'memorymark' AND tablename <> 'migrations')
       OR (schemaname = 'memorymark_queue' AND tablename IN ('job', 'job_common', 'schedule'))`,
  )
  await database.script(`TRUNCATE ${tables.map(({ name }) => name).join(', ')}`)
}

function onError(error: Error): void {
  throw error
}
