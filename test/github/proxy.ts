/**
 * The face of the emulated GitHub: passes requests on to emulate, adds what it lacks, refuses what GitHub would refuse,
 * fails where a test asks it to, and writes everything down.
 */
import { createEmulator, defineEmulator, type EmulatorContext } from 'emulate'
import { type CommentJson, IssuedTokens, withApp } from './authorship.ts'
import { type CheckRunJson, CheckRuns, type CheckRunWrite } from './check-runs.ts'
import { refusalOf } from './limits.ts'
import { paged } from './pages.ts'
import { MAX_LISTED_FILES, type PullRequestJson, PullRequests } from './pull-requests.ts'
import { Rest } from './rest.ts'
import { artifactJson, WorkflowRuns } from './workflow-runs.ts'

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

/** Answers the next `times` matching requests with `status` instead of serving them. */
export interface Fault {
  readonly method: string
  readonly path: RegExp
  readonly status: number
  /** Makes a 403 or 429 a secondary rate limit. */
  readonly retryAfterSeconds?: number
  times: number
}

type App = EmulatorContext<object>['app']
type Context = Parameters<Parameters<App['get']>[1]>[0]

const REPOSITORY = '/repos/:owner/:repo'

export class GitHubProxy {
  readonly requests: LoggedRequest[] = []
  readonly faults: Fault[] = []
  readonly runs = new WorkflowRuns()
  readonly checkRuns = new CheckRuns()
  readonly #tokens = new IssuedTokens()
  readonly #upstreamUrl: string
  readonly #pullRequests: PullRequests
  #publicUrl = ''
  #close: () => Promise<void> = async () => {}

  private constructor(upstreamUrl: string) {
    this.#upstreamUrl = upstreamUrl
    this.#pullRequests = new PullRequests(new Rest(upstreamUrl))
  }

  static async start(upstreamUrl: string): Promise<GitHubProxy> {
    const proxy = new GitHubProxy(upstreamUrl)
    const listening = await createEmulator({
      port: 0,
      service: defineEmulator({ name: 'github-proxy', state: () => ({}), setup: ({ app }) => proxy.#route(app) }),
    })
    proxy.#publicUrl = listening.url.replace('localhost', '127.0.0.1')
    proxy.#close = () => listening.close()
    return proxy
  }

  get url(): string {
    return this.#publicUrl
  }

  close(): Promise<void> {
    return this.#close()
  }

  #route(app: App): void {
    app.use('*', (c, next) => this.#guard(c, next))
    app.post('/app/installations/:id/access_tokens', c => this.#issueToken(c))
    this.#routePullRequests(app)
    this.#routeComments(app)
    this.#routeCheckRuns(app)
    this.#routeWorkflowRuns(app)
    app.notFound(c => this.#forward(c))
  }

  #routePullRequests(app: App): void {
    const refresh = (pullRequest: PullRequestJson) => this.#pullRequests.refreshed(pullRequest)
    app.get(`${REPOSITORY}/pulls`, c => this.#amended(c, (all: PullRequestJson[]) => Promise.all(all.map(refresh))))
    app.get(`${REPOSITORY}/pulls/:number`, c => this.#amended(c, refresh))
    app.get(`${REPOSITORY}/pulls/:number/files`, c => this.#listFiles(c))
  }

  #routeComments(app: App): void {
    app.get(`${REPOSITORY}/issues/:number/comments`, c => this.#amended(c, (all: CommentJson[]) => all.map(withApp)))
    app.post(`${REPOSITORY}/issues/:number/comments`, c => this.#amended(c, withApp))
    app.get(`${REPOSITORY}/issues/comments/:id`, c => this.#amended(c, withApp))
    app.patch(`${REPOSITORY}/issues/comments/:id`, c => this.#amended(c, withApp))
  }

  #routeCheckRuns(app: App): void {
    const complete = (run: CheckRunJson) => this.checkRuns.complete(run)
    app.post(`${REPOSITORY}/check-runs`, c => this.#writeCheckRun(c))
    app.patch(`${REPOSITORY}/check-runs/:id`, c => this.#writeCheckRun(c))
    app.get(`${REPOSITORY}/check-runs/:id`, c => this.#amended(c, complete))
    app.get(`${REPOSITORY}/check-runs/:id/annotations`, c =>
      this.#page(c, this.checkRuns.annotations(Number(c.req.param('id'))), items => items),
    )
    app.get(`${REPOSITORY}/commits/:ref/check-runs`, c =>
      this.#amended(c, (list: { check_runs: CheckRunJson[] }) => {
        const appId = c.req.query('app_id')
        const runs = list.check_runs.map(complete).filter(run => appId === undefined || String(run.app?.id) === appId)
        return { total_count: runs.length, check_runs: runs }
      }),
    )
  }

  #routeWorkflowRuns(app: App): void {
    app.get(`${REPOSITORY}/actions/runs/:id`, c => {
      const run = this.runs.run(Number(c.req.param('id')))
      return run === undefined ? refuse(c, 404, 'Not Found') : c.json(run)
    })
    app.get(`${REPOSITORY}/actions/runs/:id/artifacts`, c => {
      const artifacts = this.runs.artifactsOf(Number(c.req.param('id')), c.req.query('name'))
      const repositoryUrl = `${this.#publicUrl}/repos/${c.req.param('owner')}/${c.req.param('repo')}`
      return this.#page(c, artifacts, items => ({
        total_count: artifacts.length,
        artifacts: items.map(artifact => artifactJson(artifact, repositoryUrl)),
      }))
    })
    app.get(`${REPOSITORY}/actions/artifacts/:id/zip`, c => {
      if (this.#tokens.appOf(c.req.header('authorization')) === undefined)
        return refuse(c, 401, 'Requires authentication')
      return c.redirect(`${this.#publicUrl}/artifact-storage/${c.req.param('id')}`, 302)
    })
    app.get('/artifact-storage/:id', c => {
      const artifact = this.runs.artifact(Number(c.req.param('id')))
      return artifact === undefined
        ? refuse(c, 404, 'Not Found')
        : new Response(Buffer.from(artifact.zip), { headers: { 'content-type': 'application/zip' } })
    })
  }

  async #guard(c: Context, next: () => Promise<void>): Promise<Response | undefined> {
    const { method } = c.req
    const url = new URL(c.req.url)
    const body = parsed(await c.req.raw.clone().text())
    const app = this.#tokens.appOf(c.req.header('authorization'))?.slug
    const apiVersion = c.req.header('x-github-api-version')
    this.requests.push({ method, path: url.pathname + url.search, body, app, apiVersion })
    const fault = this.faults.find(
      ({ times, ...one }) => times > 0 && one.method === method && one.path.test(url.pathname),
    )
    if (fault !== undefined) {
      fault.times -= 1
      return failure(c, fault)
    }
    const refusal = refusalOf(method, url.pathname, body)
    if (refusal !== undefined) return refuse(c, refusal.status, refusal.message)
    await next()
    return undefined
  }

  async #issueToken(c: Context): Promise<Response> {
    const response = await this.#forward(c)
    if (response.ok) {
      const { token } = (await response.clone().json()) as { token: string }
      this.#tokens.record(token, Number(c.req.param('id')))
    }
    return response
  }

  async #writeCheckRun(c: Context): Promise<Response> {
    const app = this.#tokens.appOf(c.req.header('authorization'))
    if (app === undefined) return refuse(c, 403, 'You must authenticate via a GitHub App.')
    const write = (await c.req.raw.clone().json()) as CheckRunWrite
    return this.#amended(c, (run: CheckRunJson) => {
      this.checkRuns.record(run.id, app, write)
      return this.checkRuns.complete(run)
    })
  }

  async #listFiles(c: Context): Promise<Response> {
    const path = `${REPOSITORY}/pulls/:number`.replace(/:(\w+)/g, (_, name: string) => c.req.param(name))
    const upstream = await this.#send(c, path)
    if (!upstream.ok) return upstream
    const pullRequest = await this.#pullRequests.refreshed((await upstream.json()) as PullRequestJson)
    const files = await this.#pullRequests.changedFiles(pullRequest)
    return this.#page(c, files.slice(0, MAX_LISTED_FILES), items => items)
  }

  #page<T>(c: Context, all: readonly T[], wrap: (items: readonly T[]) => unknown): Response {
    const { items, headers } = paged(all, c.req.url, this.#publicUrl)
    return c.json(wrap(items), 200, { ...headers })
  }

  /** Forwards, and changes a successful JSON answer on its way back. */
  async #amended<T>(c: Context, amend: (json: T) => unknown): Promise<Response> {
    const response = await this.#forward(c)
    if (!response.ok) return response
    const amended = await amend((await response.json()) as T)
    return new Response(JSON.stringify(amended), { status: response.status, headers: response.headers })
  }

  #forward(c: Context): Promise<Response> {
    const url = new URL(c.req.url)
    return this.#send(c, url.pathname + url.search)
  }

  async #send(c: Context, path: string): Promise<Response> {
    const { method } = c.req
    const headers = new Headers(c.req.raw.headers)
    for (const name of ['host', 'connection', 'content-length', 'accept-encoding']) headers.delete(name)
    const body = method === 'GET' || method === 'HEAD' ? null : await c.req.raw.clone().arrayBuffer()
    const upstream = await fetch(this.#upstreamUrl + path, { method, headers, body, redirect: 'manual' })
    const empty = upstream.status === 204 || upstream.status === 304
    return new Response(empty ? null : await this.#readdressed(upstream), {
      status: upstream.status,
      headers: this.#answeredHeaders(upstream.headers),
    })
  }

  /** emulate writes its own address into links. */
  async #readdressed(upstream: Response): Promise<string | ArrayBuffer> {
    const json = upstream.headers.get('content-type')?.includes('json') ?? false
    return json ? (await upstream.text()).replaceAll(this.#upstreamUrl, this.#publicUrl) : upstream.arrayBuffer()
  }

  #answeredHeaders(upstream: Headers): Headers {
    const headers = new Headers(upstream)
    for (const name of ['content-length', 'transfer-encoding', 'connection', 'keep-alive']) headers.delete(name)
    const link = headers.get('link')
    if (link !== null) headers.set('link', link.replaceAll(this.#upstreamUrl, this.#publicUrl))
    return headers
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function failure(c: Context, { status, retryAfterSeconds }: Fault): Response {
  if (retryAfterSeconds === undefined) return refuse(c, status, 'A fault that the test asked for')
  c.header('retry-after', String(retryAfterSeconds))
  return refuse(c, status, 'You have exceeded a secondary rate limit.')
}

function refuse(c: Context, status: number, message: string): Response {
  return c.json({ message, documentation_url: 'https://docs.github.com/rest' }, status)
}
