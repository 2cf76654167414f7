/**
 * A full house makes room: where as many connections are open as may be, the one that has taken longest to send its request is
 * closed for the new one. Refusing the new one instead would let a few hundred slow clients keep everybody out.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Of each set the first is the oldest. */
interface Connections {
  /** Nothing has arrived yet, or not the whole request. */
  readonly receiving: Set<Socket>
  /** Answered, and kept open for the next request. */
  readonly idle: Set<Socket>
  readonly all: Set<Socket>
}

/** Takes the place of `server.maxConnections`. A request that has arrived whole is answered whatever comes. */
export function limitConnections(server: Server, maxConnections: number): void {
  const connections: Connections = { receiving: new Set(), idle: new Set(), all: new Set() }
  const { receiving, idle, all } = connections
  server.on('connection', (socket: Socket) => {
    if (all.size >= maxConnections) (oldest(connections) ?? socket).destroy()
    if (socket.destroyed) return
    all.add(socket)
    receiving.add(socket)
    socket.once('close', () => {
      for (const set of [all, receiving, idle]) set.delete(socket)
    })
  })
  server.on('request', (request, response) => {
    const { socket } = request
    if (idle.delete(socket)) receiving.add(socket)
    request.once('end', () => receiving.delete(socket))
    response.once('finish', () => {
      receiving.delete(socket)
      if (all.has(socket)) idle.add(socket)
    })
  })
}

/** Of the larger set, so that who fills the house with one kind does not drive out those of the other. */
function oldest({ receiving, idle }: Connections): Socket | undefined {
  const [socket] = receiving.size >= idle.size ? receiving : idle
  return socket
}
