/**
 * A port of 127.0.0.1 that nobody has yet. Probot and PostgreSQL take port 0 for "none given"; and one that the system hands
 * out can be taken by any outgoing connection while a server restarts, so these lie below those.
 */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const FIRST = 15_000
/** Linux hands out ports from 32768 on for outgoing connections. */
const LAST = 32_767
const MAX_TRIES = 100

/** @throws Error where none is found. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const port = randomInt(FIRST, LAST + 1)
    if (await isFree(port)) return port
  }
  throw new Error(`No port of 127.0.0.1 between ${FIRST} and ${LAST} was free.`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    server.close()
    await once(server, 'close')
    return true
  } catch {
    return false
  }
}
