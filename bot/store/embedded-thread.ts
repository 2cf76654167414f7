/** The thread of the embedded database: running WebAssembly blocks its thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, type Transaction } from '@electric-sql/pglite'
import * as z from 'zod'
import type { Answer, Request } from './embedded-messages.ts'

if (parentPort === null) throw new Error('This file is started by bot/store/embedded.ts, as a thread.')
const port = parentPort

const { folder } = z.object({ folder: z.string().optional() }).parse(workerData)
const pglite = await PGlite.create(folder === undefined ? {} : { dataDir: folder })

/** Ends an open transaction. */
interface Open {
  readonly transaction: Transaction
  readonly end: (how: 'commit' | 'rollback') => Promise<void>
}
const open = new Map<number, Open>()

port.on('message', (request: Request) => {
  void answer(request).then(reply => port.postMessage(reply))
})
port.postMessage({ id: 0, kind: 'rows', rows: [] } satisfies Answer)

async function answer(request: Request): Promise<Answer> {
  try {
    return { id: request.id, kind: 'rows', rows: await rowsFor(request) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
    const message = error instanceof Error ? error.message : String(error)
    return { id: request.id, kind: 'error', message, ...(code !== undefined && { code }) }
  }
}

async function rowsFor(request: Request): Promise<readonly Record<string, unknown>[]> {
  switch (request.kind) {
    case 'query': {
      const runner = request.transaction === undefined ? pglite : opened(request.transaction).transaction
      const { rows } = await runner.query<Record<string, unknown>>(request.text, [...request.values])
      return rows
    }
    case 'script':
      return script(request.text)
    case 'begin':
      await begin(request.id)
      return []
    case 'end':
      await opened(request.transaction).end(request.how)
      return []
    case 'close':
      await pglite.close()
      return []
  }
}

async function script(text: string): Promise<readonly Record<string, unknown>[]> {
  try {
    const results = await pglite.exec(text)
    return results.flatMap(({ rows }) => rows)
  } catch (error) {
    // There is only one connection: a transaction that a failed script left open would affect later statements.
    await pglite.exec('ROLLBACK')
    throw error
  }
}

/** Resolves when it is the transaction's turn; its id is that of the request that began it. */
function begin(id: number): Promise<void> {
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<'commit' | 'rollback'>()
  const over = pglite
    .transaction(async transaction => {
      const end = (how: 'commit' | 'rollback') => {
        open.delete(id)
        ended.resolve(how)
        return over
      }
      open.set(id, { transaction, end })
      begun.resolve()
      if ((await ended.promise) === 'rollback') await transaction.rollback()
    })
    .catch(error => {
      begun.reject(error)
      throw error
    })
  // A failure is reported to whoever ends the transaction or waits for it to begin.
  over.catch(() => {})
  return begun.promise
}

function opened(id: number): Open {
  const one = open.get(id)
  if (one === undefined) throw new Error('The transaction is over.')
  return one
}
