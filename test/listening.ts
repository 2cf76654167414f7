/** A server of a test's own, on loopback. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The port that it listens on. */
export async function listen(server: Server, port = 0): Promise<number> {
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

/** As when the process is killed: every connection breaks, and nobody answers. */
export async function cutOff(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
