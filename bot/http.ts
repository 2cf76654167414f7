/** The web server: routes, tried in turn. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Logger } from 'probot'
import { MemoryMarkError } from '../engine/base/errors.ts'
import { limitConnections } from '../server/connections.ts'

/** Resolves to true if the route handled the request. */
export type Route = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>

export interface Listening {
  readonly origin: string
  /** Accepts no more connections and finishes open requests. */
  close(): Promise<void>
}

export interface ListenOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  readonly log: Logger
}

/** For a whole request to arrive. GitHub itself waits ten seconds. */
const REQUEST_TIMEOUT_MILLIS = 10_000
const HEADERS_TIMEOUT_MILLIS = 5_000
/** How often Node checks connections against these timeouts; its default is 30 seconds. */
const CHECK_TIMEOUTS_MILLIS = 1_000

/** GitHub and load balancers use a few dozen. */
const MAX_CONNECTIONS = 500

/**
 * Longer than load balancers keep idle connections (mostly a minute); if shorter, they would send into a closed one.
 */
const KEEP_ALIVE_MILLIS = 75_000

/** Responses take milliseconds; a client that does not read must not keep the bot from stopping. */
const CLOSE_MILLIS = 3_000

export async function listen(routes: readonly Route[], { host, port, log }: ListenOptions): Promise<Listening> {
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MILLIS,
      headersTimeout: HEADERS_TIMEOUT_MILLIS,
      connectionsCheckingInterval: CHECK_TIMEOUTS_MILLIS,
      keepAliveTimeout: KEEP_ALIVE_MILLIS,
    },
    (request, response) => void answer(routes, request, response, log),
  )
  limitConnections(server, MAX_CONNECTIONS)
  server.listen(port, host)
  await once(server, 'listening').catch((cause: Error) => {
    throw new MemoryMarkError(
      {
        code: 'cannot-listen',
        field: 'HOST, PORT',
        message: `The bot cannot listen at ${host}, port ${port}: ${cause.message}`,
        fix: 'Choose an address of this machine and a port that is free, or stop what listens there.',
      },
      { cause },
    )
  })
  const origin = originOf(server)
  log.info(`Listening on ${origin}`)
  return {
    origin,
    close: async () => {
      server.close()
      server.closeIdleConnections()
      const breakOff = setTimeout(() => server.closeAllConnections(), CLOSE_MILLIS)
      await once(server, 'close')
      clearTimeout(breakOff)
    },
  }
}

async function answer(
  routes: readonly Route[],
  request: IncomingMessage,
  response: ServerResponse,
  log: Logger,
): Promise<void> {
  try {
    for (const route of routes) if (await route(request, response)) return
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found.\n')
  } catch (error) {
    // The client closed the connection in mid-request, which is no error of ours.
    if (request.destroyed && !request.complete) return
    log.error({ err: error }, 'A request could not be answered')
    if (!response.headersSent) response.writeHead(500).end()
  }
}

function originOf(server: Server): string {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${host}:${address.port}`
}
