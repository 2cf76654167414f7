/** Mounts the server in the bot's: estimates only, because a bot has no GPU, and always with a token. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { TrieRouter } from 'hono/router/trie-router'
import { defaultGpu } from '../engine/gpus/catalogue.ts'
import { KnownMachine } from './machine.ts'
import { Service, type ServiceOptions } from './service.ts'

export interface MountOptions
  extends Pick<ServiceOptions, 'repositories' | 'pages' | 'log' | 'allowedOrigins' | 'limits' | 'asksHub'> {
  readonly token: string
  readonly gpu?: ServiceOptions['gpu']
}

export interface MountedServer extends AsyncDisposable {
  /** Resolves to false, without writing, for a request that is not this server's. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
}

/** The bot answers this route itself. */
const hostPaths: ReadonlySet<string> = new Set(['/health'])

/** Routes of middleware, which match every path. */
const CHECKS_PATH = '/*'

export function mount({ token, gpu = defaultGpu, ...options }: MountOptions): MountedServer {
  const service = new Service({
    ...options,
    gpu,
    engine: 'estimate',
    // Never started, because estimates do not need it.
    python: 'python3',
    machine: KnownMachine.of({ kind: 'no-python', why: 'this server only estimates' }),
    access: { kind: 'token', token },
  })
  const answer = getRequestListener(service.app.fetch)
  const routes = new TrieRouter<true>()
  for (const { path } of service.app.routes) if (path !== CHECKS_PATH) routes.add('ALL', path, true)

  return {
    handle: async (request, response) => {
      const path = URL.parse(request.url ?? '', 'http://localhost')?.pathname
      if (path === undefined || hostPaths.has(path) || routes.match('ALL', path)[0].length === 0) return false
      await answer(request, response)
      return true
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
