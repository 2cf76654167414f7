/**
 * Makes room when the limit of connections is reached: the one that has taken longest to send its request is closed for
 * the new one. Refusing new ones instead would let a few hundred slow clients lock everybody out.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** In both sets the first is the oldest. */
interface Connections {
  /** Connections whose request has not fully arrived. */
  readonly receiving: Set<Socket>
  /** Connections that were answered and wait for the next request. */
  readonly idle: Set<Socket>
  readonly all: Set<Socket>
}

/** Replaces `server.maxConnections`. A request that has fully arrived is always answered. */
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

/** From the larger set, so that a flood of one kind does not evict the other. */
function oldest({ receiving, idle }: Connections): Socket | undefined {
  const [socket] = receiving.size >= idle.size ? receiving : idle
  return socket
}
