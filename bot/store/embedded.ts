/** PostgreSQL inside this process, in a folder of its own: for one bot without a database server. */
import { mkdir } from 'node:fs/promises'
import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import type { Database, Exclusive, Row, Sql } from './database.ts'

/** `folder` undefined keeps everything in memory. */
export async function openEmbedded(folder: string | undefined): Promise<Database> {
  if (folder !== undefined) await mkdir(folder, { recursive: true, mode: 0o700 })
  const options: PGliteOptions = folder === undefined ? {} : { dataDir: folder }
  return new EmbeddedDatabase(await PGlite.create(options))
}

class EmbeddedDatabase implements Database {
  readonly backend = 'pglite'
  readonly #pglite: PGlite
  readonly #held = new Set<string>()

  constructor(pglite: PGlite) {
    this.#pglite = pglite
  }

  async query(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const { rows } = await this.#pglite.query<Row>(text, [...values])
    return rows
  }

  async script(text: string): Promise<readonly Row[]> {
    try {
      const results = await this.#pglite.exec(text)
      return results.flatMap(({ rows }) => rows)
    } catch (error) {
      // There is one connection only: what a failed script has begun would spoil whatever comes next.
      await this.#pglite.exec('ROLLBACK')
      throw error
    }
  }

  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#pglite.transaction(transaction =>
      work({
        query: async (text, values = []) => (await transaction.query<Row>(text, [...values])).rows,
      }),
    )
  }

  /** The folder belongs to this process alone, so nobody else can hold a key and no hold is ever lost. */
  async exclusively<T>(key: string, work: (signal: AbortSignal) => Promise<T>): Promise<Exclusive<T>> {
    if (this.#held.has(key)) return { kind: 'busy' }
    this.#held.add(key)
    try {
      return { kind: 'done', value: await work(new AbortController().signal) }
    } finally {
      this.#held.delete(key)
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pglite.close()
  }
}
