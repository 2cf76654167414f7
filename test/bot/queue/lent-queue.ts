/** The bot's queue on a database of its own, without a bot. */
import { Queue } from '../../../bot/queue/queue.ts'
import type { Database } from '../../../bot/store/database.ts'
import { lendDatabase } from '../databases.ts'

export async function lendQueue(): Promise<AsyncDisposable & { readonly queue: Queue; readonly database: Database }> {
  const database = await lendDatabase()
  const queue = await Queue.start({
    database,
    onError: error => {
      throw error
    },
  })
  return {
    queue,
    database,
    [Symbol.asyncDispose]: async () => {
      await queue.stop()
      await database[Symbol.asyncDispose]()
    },
  }
}
