/**
 * Ensures that one process at a time uses a data folder, since two would destroy its data. The claim is a socket in the
 * folder: a live process answers on it, a killed one does not.
 */
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import { MemoryMarkError } from '../../engine/index.ts'

/** File name in the folder. */
export const CLAIM_FILE = 'in-use.sock'

/** Resolves to a function that releases the folder. @throws MemoryMarkError if another process uses it. */
export async function claimFolder(folder: string): Promise<() => Promise<void>> {
  // Relative, because the path of a socket has at most 107 bytes.
  const socket = path.relative(process.cwd(), path.join(folder, CLAIM_FILE))
  if (await isAnswered(socket)) throw taken(folder)
  await rm(socket, { force: true })
  const server = createServer(connection => connection.end())
  server.listen(socket)
  await once(server, 'listening')
  server.unref()
  return async () => {
    server.close()
    await once(server, 'close')
  }
}

function isAnswered(socket: string): Promise<boolean> {
  const connection = connect(socket)
  return new Promise(resolve => {
    connection.once('connect', () => {
      connection.destroy()
      resolve(true)
    })
    connection.once('error', () => resolve(false))
  })
}

function taken(folder: string): MemoryMarkError {
  return new MemoryMarkError({
    code: 'data-folder-in-use',
    file: folder,
    message: 'Another bot is using this data folder',
    fix: 'Stop that one, or give each its own folder; several bots that share the work need a PostgreSQL server (DATABASE_URL=postgres://…).',
  })
}
