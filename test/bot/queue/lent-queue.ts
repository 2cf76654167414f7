/** The bot's queue on a database of its own, without a bot. */
import { setTimeout } from 'node:timers/promises'
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
  const take = queue.take.bind(queue)
  queue.take = async (limit, perInstallation) => {
    await nextMillisecond()
    return take(limit, perInstallation)
  }
  return {
    queue,
    database,
    [Symbol.asyncDispose]: async () => {
      await queue.stop()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** pg-boss takes what was due before now, and the clock of the embedded database counts milliseconds. */
async function nextMillisecond(): Promise<void> {
  for (const now = Date.now(); Date.now() <= now; ) await setTimeout(1)
}
