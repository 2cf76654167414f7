/** A port of 127.0.0.1 that nobody has yet. Probot and PostgreSQL take port 0 for "none given". */
import { once } from 'node:events'
import { createServer } from 'node:net'

/** @throws Error where none is left. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No port of 127.0.0.1 was free.')
  return address.port
}
