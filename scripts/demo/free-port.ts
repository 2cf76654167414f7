/**
 * A free port of 127.0.0.1. Probot and PostgreSQL read port 0 as "not given"; and a port that the system chooses may be
 * taken by an outgoing connection while a server restarts, so these are below that range.
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
