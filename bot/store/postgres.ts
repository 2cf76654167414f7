/** A PostgreSQL server, shared by all replicas. */
import pg from 'pg'
import type { Database, Exclusive, Row, Sql } from './database.ts'
import { storable } from './storable.ts'

/** Each job holds one connection for its lock while it uses another. */
const MAX_CONNECTIONS = 24

const CONNECT_TIMEOUT_MILLIS = 10_000

/** A statement that runs longer is stuck behind a lock. */
const STATEMENT_TIMEOUT_MILLIS = 60_000

/** A frozen server or a broken network ends nothing by itself, so the client gives up. */
const ANSWER_TIMEOUT_MILLIS = STATEMENT_TIMEOUT_MILLIS + 5_000

/** `onError` receives errors of idle connections; a connection in use fails where it is used. */
export function connectPostgres(url: string, onError: (error: Error) => void): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MILLIS,
    statement_timeout: STATEMENT_TIMEOUT_MILLIS,
    query_timeout: ANSWER_TIMEOUT_MILLIS,
    application_name: 'memorymark',
  })
  pool.on('error', onError)
  return new PostgresDatabase(pool)
}

class PostgresDatabase implements Database {
  readonly backend = 'postgres'
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async query(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const { rows } = await this.#pool.query<Row>(text, values.map(storable))
    return rows
  }

  async script(text: string): Promise<readonly Row[]> {
    // Several statements have several results, which the types of pg do not tell.
    const results: pg.QueryResult<Row> | pg.QueryResult<Row>[] = await this.#pool.query<Row>(text)
    return [results].flat().flatMap(({ rows }) => rows)
  }

  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#withClient(async client => {
      await client.query('BEGIN')
      try {
        const value = await work({
          query: async (text, values = []) => (await client.query(text, values.map(storable))).rows,
        })
        await client.query('COMMIT')
        return value
      } catch (error) {
        await client.query('ROLLBACK')
        throw error
      }
    })
  }

  exclusively<T>(key: string, work: (signal: AbortSignal) => Promise<T>): Promise<Exclusive<T>> {
    return this.#withClient(async (client, lost) => {
      const { rows } = await client.query<{ held: boolean }>(
        'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS held',
        [key],
      )
      if (rows[0]?.held !== true) return { kind: 'busy' }
      try {
        return { kind: 'done', value: await work(lost) }
      } finally {
        // A broken connection has released its locks.
        if (!lost.aborted) await client.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', [key])
      }
    })
  }

  /** Discards a client whose connection broke or whose transaction could not be ended. */
  async #withClient<T>(use: (client: pg.PoolClient, lost: AbortSignal) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    const lost = new AbortController()
    const onError = (error: Error) => lost.abort(error)
    client.on('error', onError)
    let clean = false
    try {
      const value = await use(client, lost.signal)
      clean = true
      return value
    } finally {
      client.off('error', onError)
      client.release(!clean || lost.signal.aborted)
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool.end()
  }
}
