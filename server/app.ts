/** The server without its socket: checks, the earlier tool's routes, /v1, and the pages. */
import { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { HTTPException } from 'hono/http-exception'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { secureHeaders } from 'hono/secure-headers'
import { MemoryMarkError, type Problem } from '../engine/base/errors.ts'
import { KIB } from '../engine/base/units.ts'
import type { Gpu } from '../engine/gpus/catalogue.ts'
import type { Engine } from '../engine/probes/engines.ts'
import { type Access, checkAccess, checkOrigin } from './access.ts'
import { addAnalysisRoutes } from './analysis-routes.ts'
import { addDescription } from './description.ts'
import { addEarlierRoutes } from './earlier-routes.ts'
import { faultOf, problemsOf } from './fault.ts'
import type { KnownMachine } from './machine.ts'
import type { Analyses, Pages } from './pages.ts'
import type { Repositories } from './repositories.ts'
import { addRepositoryRoutes } from './repository-routes.ts'

/** Bytes: the longest config with each character escaped, and the other fields. */
export const MAX_BODY_BYTES = 640 * KIB

export interface AppOptions {
  readonly analyses: Analyses
  readonly machine: KnownMachine
  /** The GPU if neither a request nor the machine has one. */
  readonly gpu: Gpu
  /** The engine for `auto`. */
  readonly engine: Engine | 'auto'
  readonly access: Access
  /** Origins of other sites whose pages may call the API; none by default. */
  readonly allowedOrigins?: readonly string[]
  readonly repositories?: Repositories
  readonly pages?: Pages
  /** Receives the stacks of our own bugs. */
  readonly log: (text: string) => void
  readonly now?: () => Date
  readonly keepAliveMillis?: number
  readonly analyzeTimeoutMillis?: number
}

export function createApp(options: AppOptions): OpenAPIHono {
  const { analyses, machine, repositories, keepAliveMillis, analyzeTimeoutMillis } = options
  const app = new OpenAPIHono({
    defaultHook: (result, context) =>
      result.success ? undefined : context.json(faultOf(...problemsOf(result.error, requestOf(result))), 400),
  })
  addChecks(app, options)
  addDescription(app, options.pages !== undefined)
  addEarlierRoutes(app, {
    analyses,
    machine,
    now: options.now ?? (() => new Date()),
    ...(analyzeTimeoutMillis !== undefined && { analyzeTimeoutMillis }),
  })
  addAnalysisRoutes(app, { analyses, ...(keepAliveMillis !== undefined && { keepAliveMillis }) })
  addRepositoryRoutes(app, repositories)
  addPages(app, options)
  addFaults(app, options)
  return app
}

/** The value of a request that failed validation; the validator's types do not declare it. */
function requestOf(result: object): unknown {
  return 'data' in result ? result.data : undefined
}

function addChecks(app: OpenAPIHono, { access, allowedOrigins = [] }: AppOptions): void {
  app.use(apiContentSecurityPolicy)
  // With `no-referrer`, the `Origin` of our own forms would be `null`.
  app.use(secureHeaders({ referrerPolicy: 'same-origin', strictTransportSecurity: false }))
  if (allowedOrigins.length > 0) {
    app.use(cors({ origin: [...allowedOrigins], exposeHeaders: ['location', 'retry-after'] }))
  }
  app.use(checkAccess(access))
  app.use(checkOrigin(allowedOrigins))
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: context => context.json(faultOf(tooLarge), 413) }))
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (context, methods) =>
        context.json(faultOf(wrongMethod(methods)), 405, { Allow: methods.join(', ') }),
    }),
  )
}

/** Pages set their own policy; other answers load nothing. */
const apiContentSecurityPolicy: MiddlewareHandler = async (context, next) => {
  await next()
  if (context.res.headers.has('content-security-policy')) return
  context.res.headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
}

function addPages(app: OpenAPIHono, { pages, analyses, machine, gpu, engine, repositories }: AppOptions): void {
  if (pages === undefined) return
  const context = {
    analyses,
    machine: () => machine.description,
    gpu,
    engine,
    ...(repositories !== undefined && { repositories }),
  }
  app.route('/', pages(context))
}

function addFaults(app: OpenAPIHono, { log }: AppOptions): void {
  app.notFound(context => context.json(faultOf(noRoute), 404))
  app.onError((error, context) => {
    if (error instanceof HTTPException && error.status < 500) {
      return context.json(faultOf(refused(error.message)), error.status)
    }
    if (error instanceof MemoryMarkError) return context.json(faultOf(error.problem), 400)
    log(error.stack ?? error.message)
    return context.json(faultOf(ownFault), 500)
  })
}

function refused(message: string): Problem {
  return {
    code: 'request-refused',
    message: message === '' ? 'the request is invalid' : message,
    fix: 'Send JSON as application/json; /openapi.json describes it.',
  }
}

function wrongMethod(methods: readonly string[]): Problem {
  return {
    code: 'wrong-method',
    message: 'this address does not support that method',
    fix: `Use ${methods.join(' or ')}.`,
  }
}

const tooLarge: Problem = {
  code: 'body-too-large',
  message: `the body is larger than ${MAX_BODY_BYTES / KIB} KiB`,
  fix: 'Send only the training config.',
}

const noRoute: Problem = {
  code: 'unknown-address',
  message: 'there is nothing at this address',
  fix: 'See /openapi.json for the routes.',
}

const ownFault: Problem = {
  code: 'server-fault',
  message: 'internal server error',
  fix: "Check the server's log.",
}
