/**
 * The face of the emulated GitHub: passes requests on to emulate, adds what it lacks, refuses what GitHub would refuse,
 * fails where a test asks it to, and writes everything down.
 */
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { createAdaptorServer } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import { parseJson } from '../../engine/base/json.ts'
import { type Artifacts, routeArtifacts } from './artifacts.ts'
import { type CheckRuns, routeCheckRuns } from './check-runs.ts'
import { routeComments } from './comments.ts'
import { routeContents } from './contents.ts'
import type { Events } from './events.ts'
import { type Fate, Faults } from './faults.ts'
import { type Bindings, type Call, type Gateway, type Routes, refuse } from './gateway.ts'
import { routeGraphql } from './graphql.ts'
import { routeInstallations } from './installations.ts'
import { refusalOf } from './limits.ts'
import { type Manifests, routeManifests } from './manifests.ts'
import { type Merges, routeMerges } from './merges.ts'
import { accessTo, covers } from './permissions.ts'
import { type PullRequests, routePullRequests } from './pull-requests.ts'
import { routeReviewComments } from './review-comments.ts'
import type { Webhooks } from './webhooks.ts'
import { routeWorkflowRuns, type WorkflowRuns } from './workflow-runs.ts'

export interface LoggedRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly body: unknown
  /** Slug of the App whose installation token came along. */
  readonly app: string | undefined
  /** The `X-GitHub-Api-Version` header. */
  readonly apiVersion: string | undefined
}

/** What is kept beside emulate. */
export interface KeptState {
  readonly pullRequests: PullRequests
  readonly checkRuns: CheckRuns
  readonly runs: WorkflowRuns
  readonly merges: Merges
  readonly webhooks: Webhooks
  readonly events: Events
  readonly artifacts: Artifacts
  readonly manifests: Manifests
  /** Beyond them GitHub cuts the list of a tree. */
  readonly maxTreeEntries: number
}

const KEEP_ALIVE_MILLIS = 600_000

export class GitHubProxy implements AsyncDisposable {
  readonly requests: LoggedRequest[] = []
  readonly faults = new Faults()
  readonly #gateway: Gateway
  readonly #server: ReturnType<typeof createAdaptorServer>

  private constructor(gateway: Gateway, state: KeptState) {
    this.#gateway = gateway
    const routes: Routes = new Hono<Bindings>()
    routes.use('*', (c, next) => this.#guard(c, next))
    routeManifests(routes, state.manifests)
    routeInstallations(routes, gateway, state.webhooks, state.events)
    routePullRequests(routes, gateway, state.pullRequests, state.events)
    routeReviewComments(routes, gateway, state.pullRequests)
    routeComments(routes, gateway, state.events)
    routeCheckRuns(routes, gateway, state.checkRuns, state.events)
    routeWorkflowRuns(routes, gateway, state.runs)
    routeArtifacts(routes, gateway, state.artifacts)
    routeMerges(routes, state.merges)
    routeContents(routes, gateway, state.maxTreeEntries)
    routeGraphql(routes, gateway)
    routes.notFound(c => gateway.forward(c))
    routes.onError(error => refuse(500, `The emulated GitHub failed: ${error.stack}`))
    // A kept connection must not be closed just as a client uses it again.
    const serverOptions = { keepAliveTimeout: KEEP_ALIVE_MILLIS }
    this.#server = createAdaptorServer({ fetch: routes.fetch, serverOptions })
  }

  static async start(gateway: Gateway, state: KeptState): Promise<GitHubProxy> {
    const proxy = new GitHubProxy(gateway, state)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    const address = proxy.#server.address()
    if (address === null || typeof address === 'string') throw new Error('The emulated GitHub has no port')
    gateway.listensAt(`http://127.0.0.1:${address.port}`)
    return proxy
  }

  get url(): string {
    return this.#gateway.publicUrl
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    if ('closeAllConnections' in this.#server) this.#server.closeAllConnections()
    await closed
  }

  async #guard(c: Call, next: () => Promise<void>): Promise<Response | undefined> {
    const { method } = c.req
    const url = new URL(c.req.url)
    const body = parseJson(await c.req.text())
    const authorization = c.req.header('authorization')
    const caller = this.#gateway.tokens.callerOf(authorization)
    const byApp = caller !== undefined || this.#gateway.tokens.appItself(authorization) !== undefined
    this.requests.push({
      method,
      path: url.pathname + url.search,
      body,
      app: caller?.installation.app.slug,
      apiVersion: c.req.header('x-github-api-version'),
    })
    const fate = this.faults.fateOf(method, url.pathname, byApp)
    return this.#meet(fate, c, async () => {
      const refusal = byApp ? this.#forbidden(c, method, url.pathname) : undefined
      if (refusal !== undefined) return refusal
      const limit = refusalOf(method, url.pathname, body)
      if (limit !== undefined) return refuse(limit.status, limit.message)
      await next()
      return undefined
    })
  }

  async #meet(fate: Fate, c: Call, serve: () => Promise<Response | undefined>): Promise<Response | undefined> {
    switch (fate.kind) {
      case 'served':
        if (fate.latencyMillis > 0) await setTimeout(fate.latencyMillis)
        return serve()
      case 'refused':
        return failure(fate.status, fate.retryAfterSeconds)
      case 'graphql error':
        return failedQuery(fate.type)
      case 'cut before':
        return cut(c)
      case 'cut after':
        c.res = (await serve()) ?? c.res
        return cut(c)
    }
  }

  /** What an installation was not granted, and what nobody has looked up yet. */
  #forbidden(c: Call, method: string, path: string): Response | undefined {
    if (path.startsWith('/artifact-storage/')) return undefined
    const access = accessTo(method, path)
    const caller = this.#gateway.tokens.callerOf(c.req.header('authorization'))
    switch (access.kind) {
      case 'unlisted':
        return refuse(404, `test/github/permissions.ts does not list ${method} ${path}`)
      case 'app':
        return undefined
      case 'installation':
        return caller !== undefined && covers(caller.permissions, access.needs)
          ? undefined
          : refuse(403, 'Resource not accessible by integration', {
              'x-accepted-github-permissions': access.needs.join('; ').replaceAll(':', '='),
            })
    }
  }
}

function cut(c: Call): Response {
  c.env.outgoing.destroy()
  return RESPONSE_ALREADY_SENT
}

function failedQuery(type: string): Response {
  const resetAt = String(Math.floor(Date.now() / 1_000) + 120)
  const limit = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': resetAt, 'x-ratelimit-resource': 'graphql' }
  return Response.json(
    { data: null, errors: [{ type, message: 'A fault that the test asked for' }] },
    { headers: type === 'RATE_LIMITED' ? limit : {} },
  )
}

function failure(status: number, retryAfterSeconds: number | undefined): Response {
  if (retryAfterSeconds === undefined) return refuse(status, 'A fault that the test asked for')
  return refuse(status, 'You have exceeded a secondary rate limit.', { 'retry-after': String(retryAfterSeconds) })
}
