/** The interface to the database: PostgreSQL, as a server or embedded. */

export type Row = Readonly<Record<string, unknown>>

export interface Sql {
  /**
   * Runs one statement with `$1` parameters. Texts lose what PostgreSQL cannot store: see storable.ts. @throws the
   * driver's error.
   */
  query(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
}

export type Exclusive<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** Somebody else holds the key, in this process or another. */
  | { readonly kind: 'busy' }

export interface Database extends Sql, AsyncDisposable {
  readonly backend: 'postgres' | 'pglite'
  /** Several statements in one text, without parameters; the rows of all of them. */
  script(text: string): Promise<readonly Row[]>
  /** Committed when `work` resolves, rolled back when it rejects. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /**
   * Runs `work` while nobody else holds `key`, over all replicas. A holder that dies releases the key at once. `signal`
   * aborts when the lock is lost because the database went away; another may then hold it.
   */
  exclusively<T>(key: string, work: (signal: AbortSignal) => Promise<T>): Promise<Exclusive<T>>
}
