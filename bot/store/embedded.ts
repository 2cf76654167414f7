/**
 * Embedded PostgreSQL (PGlite) in a thread of this process with its own folder, for one bot without a database server.
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { MemoryMarkError } from '../../engine/index.ts'
import type { Database, Exclusive, Row, Sql } from './database.ts'
import type { Answer, Request } from './embedded-messages.ts'
import { CLAIM_FILE, claimFolder } from './folder-claim.ts'
import { storable } from './storable.ts'

/** `folder`: undefined to keep everything in memory. @throws MemoryMarkError if another process uses the folder. */
export async function openEmbedded(folder: string | undefined): Promise<Database> {
  if (folder === undefined) return EmbeddedDatabase.open(undefined, async () => {})
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const release = await claimFolder(folder)
  try {
    await requireDatabase(folder)
    return await EmbeddedDatabase.open(folder, release).catch((cause: unknown) => {
      throw damaged(folder, 'The database in this data folder cannot be opened: its files are damaged', cause)
    })
  } catch (error) {
    await release()
    throw error
  }
}

/** Refuses a folder that has other content, over which PGlite would create a database. */
async function requireDatabase(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter(name => name !== CLAIM_FILE)
  if (names.length > 0 && !names.includes('PG_VERSION')) {
    throw damaged(folder, 'This data folder has files, but no database that could be opened: its PG_VERSION is missing')
  }
}

function damaged(folder: string, message: string, cause?: unknown): MemoryMarkError {
  return new MemoryMarkError(
    {
      code: 'database-damaged',
      file: folder,
      message,
      fix: 'No data was deleted. Put back a backup of the folder; without one, move the folder away, and the bot starts with an empty database and reads all open pull requests again. Acceptances, snoozes and earlier reports are lost with it.',
    },
    cause === undefined ? undefined : { cause },
  )
}

type Question<R = Request> = R extends Request ? Omit<R, 'id'> : never

class EmbeddedDatabase implements Database {
  readonly backend = 'pglite'
  readonly #worker: Worker
  readonly #release: () => Promise<void>
  readonly #waiting = new Map<number, PromiseWithResolvers<readonly Row[]>>()
  readonly #held = new Set<string>()
  #lastId = 0
  #failure: Error | undefined

  private constructor(worker: Worker, release: () => Promise<void>) {
    this.#worker = worker
    this.#release = release
    worker.on('message', (answer: Answer) => this.#settle(answer))
    worker.on('error', error => this.#fail(error))
    worker.on('exit', () => this.#fail(new Error('The embedded database is closed.')))
  }

  static async open(folder: string | undefined, release: () => Promise<void>): Promise<EmbeddedDatabase> {
    const worker = new Worker(threadFile(), { workerData: { ...(folder !== undefined && { folder }) } })
    const database = new EmbeddedDatabase(worker, release)
    await database.#answerTo(0)
    return database
  }

  query(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.#ask({ kind: 'query', text, values: values.map(storable), transaction: undefined }).answer
  }

  script(text: string): Promise<readonly Row[]> {
    return this.#ask({ kind: 'script', text }).answer
  }

  async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const { id: transaction, answer: begun } = this.#ask({ kind: 'begin' })
    await begun
    try {
      const value = await work({
        query: (text, values = []) =>
          this.#ask({ kind: 'query', text, values: values.map(storable), transaction }).answer,
      })
      await this.#ask({ kind: 'end', transaction, how: 'commit' }).answer
      return value
    } catch (error) {
      // After a commit that failed there is nothing left to roll back.
      await this.#ask({ kind: 'end', transaction, how: 'rollback' }).answer.catch(() => {})
      throw error
    }
  }

  /** Only this process uses the folder, so no lock is ever lost. */
  async exclusively<T>(key: string, work: (signal: AbortSignal) => Promise<T>): Promise<Exclusive<T>> {
    if (this.#held.has(key)) return { kind: 'busy' }
    this.#held.add(key)
    try {
      return { kind: 'done', value: await work(new AbortController().signal) }
    } finally {
      this.#held.delete(key)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ask({ kind: 'close' }).answer
    await this.#worker.terminate()
    await this.#release()
  }

  #ask(question: Question): { readonly id: number; readonly answer: Promise<readonly Row[]> } {
    this.#lastId += 1
    const id = this.#lastId
    const answer = this.#answerTo(id)
    this.#worker.postMessage({ id, ...question })
    return { id, answer }
  }

  #answerTo(id: number): Promise<readonly Row[]> {
    const waiting = Promise.withResolvers<readonly Row[]>()
    if (this.#failure === undefined) this.#waiting.set(id, waiting)
    else waiting.reject(this.#failure)
    return waiting.promise
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    switch (answer.kind) {
      case 'rows':
        waiting?.resolve(answer.rows)
        break
      case 'error':
        waiting?.reject(Object.assign(new Error(answer.message), { code: answer.code }))
        break
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error
    for (const waiting of this.#waiting.values()) waiting.reject(this.#failure)
    this.#waiting.clear()
  }
}

/** Beside the bundle as it is shipped, beside this file as it is written. */
function threadFile(): string {
  const places = ['./bot-database.js', './embedded-thread.ts'].map(path =>
    fileURLToPath(new URL(path, import.meta.url)),
  )
  const found = places.find(place => existsSync(place))
  if (found === undefined) throw new Error(`The embedded database's thread is missing: ${places.join(' or ')}`)
  return found
}
