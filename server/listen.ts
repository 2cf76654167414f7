/** Runs the server on its own socket. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, isIPv4 } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { MemoryMarkError } from '../engine/base/errors.ts'
import { type Access, apiToken } from './access.ts'
import { limitConnections } from './connections.ts'
import { KnownMachine } from './machine.ts'
import { Service, type ServiceOptions } from './service.ts'

export const DEFAULT_PORT = 5001

/** Time to send a request; the answer may take longer. */
const REQUEST_TIMEOUT_MILLIS = 10_000
const MAX_CONNECTIONS = 5_000
/** Time for answers in progress when the server stops. */
const LAST_ANSWERS_MILLIS = 1_000

export interface ListenOptions extends Omit<ServiceOptions, 'access' | 'machine'> {
  readonly host: string
  /** 0 takes any that is free. */
  readonly port: number
  /** Without a token only this machine is served. */
  readonly token?: string
  /** For the whole of a request to arrive. */
  readonly requestTimeoutMillis?: number
}

export interface RunningServer extends AsyncDisposable {
  /** Ends without a slash. */
  readonly url: string
}

/** @throws MemoryMarkError for a public address without a token, or an address in use. */
export async function listen(options: ListenOptions): Promise<RunningServer> {
  const { host, port, python, requestTimeoutMillis = REQUEST_TIMEOUT_MILLIS } = options
  const access = accessFor(options)
  const service = new Service({ ...options, access, machine: KnownMachine.ask(python) })
  const server = createServer(
    {
      requestTimeout: requestTimeoutMillis,
      headersTimeout: requestTimeoutMillis / 2,
      connectionsCheckingInterval: requestTimeoutMillis / 10,
    },
    getRequestListener(service.app.fetch),
  )
  limitConnections(server, MAX_CONNECTIONS)
  try {
    await bound(server, host, port)
  } catch (error) {
    await service[Symbol.asyncDispose]()
    throw error
  }
  return { url: urlOf(server, host), [Symbol.asyncDispose]: () => stop(server, service) }
}

function accessFor({ host, token }: ListenOptions): Access {
  if (token !== undefined) {
    if (apiToken.safeParse(token).success) return { kind: 'token', token }
    throw weakToken
  }
  if (!isLoopback(host)) throw tokenNeeded(host)
  return { kind: 'this-machine', hostNames: ['localhost', '127.0.0.1', '[::1]', host] }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

async function bound(server: Server, host: string, port: number): Promise<void> {
  try {
    await once(server.listen(port, host), 'listening')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE') throw addressTaken(port)
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw addressRefused(host, port, code)
    throw error
  }
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

async function stop(server: Server, service: Service): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  await service[Symbol.asyncDispose]()
  const cut = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MILLIS)
  server.closeIdleConnections()
  await closed
  clearTimeout(cut)
}

const weakToken = new MemoryMarkError({
  code: 'weak-token',
  field: 'MEMORYMARK_API_TOKEN',
  message: 'the token is shorter than 16 characters, or contains characters that an HTTP header cannot carry',
  fix: 'Use for instance the output of `openssl rand -hex 32`.',
})

function tokenNeeded(host: string): MemoryMarkError {
  return new MemoryMarkError({
    code: 'token-needed',
    field: '--host',
    message: `others can reach ${host}, but no token is set`,
    fix: 'Set MEMORYMARK_API_TOKEN, for instance to the output of `openssl rand -hex 32`, or omit --host.',
  })
}

function addressTaken(port: number): MemoryMarkError {
  return new MemoryMarkError({
    code: 'address-in-use',
    field: '--port',
    message: `port ${port} is in use by another program`,
    fix: 'Choose another with --port; 0 picks a free one.',
  })
}

function addressRefused(host: string, port: number, code: string): MemoryMarkError {
  return new MemoryMarkError({
    code: 'address-refused',
    field: '--host',
    message: `cannot listen on ${host}, port ${port} (${code})`,
    fix: 'Choose an address of this machine, and a port above 1023.',
  })
}
