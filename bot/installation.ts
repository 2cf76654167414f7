/** GitHub clients for the App and its installations: their retries, their logging, and the rate limit left. */
import { setTimeout as delay } from 'node:timers/promises'
import { type Logger, Probot, ProbotOctokit } from 'probot'

export type GitHub = InstanceType<typeof ProbotOctokit>

export interface ApiCall {
  readonly method: string
  /** 0 if no response came. */
  readonly status: number
  readonly installationId: number | undefined
  /** Requests left in this hour, if GitHub says. */
  readonly remaining: number | undefined
}

export interface GitHubAppOptions {
  readonly appId: number
  readonly privateKey: string
  readonly webhookSecret: string
  readonly apiUrl: string
  readonly log: Logger
  readonly onCall: (call: ApiCall) => void
}

export interface GitHubApp {
  readonly verify: (body: string, signature: string) => Promise<boolean>
  /** A client as the App itself, which can only list its installations. */
  asApp(): Promise<GitHub>
  /** The App's login: `memorymark[bot]`. */
  botLogin(): Promise<string>
  /** A client for one installation, until `signal` aborts. */
  inInstallation(installationId: number, signal: AbortSignal): Promise<GitHub>
}

export async function connectGitHubApp(options: GitHubAppOptions): Promise<GitHubApp> {
  const { appId, privateKey, webhookSecret, apiUrl, onCall } = options
  const probot = new Probot({
    appId,
    privateKey,
    secret: webhookSecret,
    baseUrl: apiUrl,
    Octokit: unhurried,
    log: withoutBodies(options.log),
  })
  await probot.ready()
  const prepared = async (installationId: number | undefined, signal: AbortSignal | undefined) => {
    const github = await probot.auth(installationId)
    prepare(github, { installationId, signal, onCall })
    return github
  }
  const asApp = prepared(undefined, undefined)
  return {
    verify: (body, signature) => probot.webhooks.verify(body, signature),
    asApp: () => asApp,
    botLogin: async () => {
      const { data } = await (await asApp).rest.apps.getAuthenticated()
      if (data === null) throw new Error('GitHub does not say who the App is')
      return `${data.slug}[bot]`
    },
    inInstallation: prepared,
  }
}

/** A client for creating the App, the one request that needs no credentials. */
export function connectWithoutApp({
  apiUrl,
  log,
  onCall,
}: Pick<GitHubAppOptions, 'apiUrl' | 'log' | 'onCall'>): GitHub {
  const github = new unhurried({ baseUrl: apiUrl, log: withoutBodies(log) })
  prepare(github, { installationId: undefined, signal: undefined, onCall })
  return github
}

/** At debug level clients would log the bodies of requests. */
function withoutBodies(log: Logger): Logger {
  return log.child({}, { level: log.level === 'silent' ? 'silent' : 'warn' })
}

/** Does not wait out rate limits: the queue delays the job instead, so that the worker is free for others. */
const unhurried = ProbotOctokit.defaults((options: NonNullable<ConstructorParameters<typeof ProbotOctokit>[0]>) => ({
  ...options,
  throttle: { ...options.throttle, enabled: false },
  retry: { enabled: false },
}))

const REQUEST_TIMEOUT_MILLIS = 20_000

/**
 * Milliseconds before retries of reads. Writes are not retried, since one may have succeeded although its response was
 * lost.
 */
const PAUSES_MILLIS = [200, 1_000]

interface Preparation {
  readonly installationId: number | undefined
  readonly signal: AbortSignal | undefined
  readonly onCall: (call: ApiCall) => void
}

function prepare(github: GitHub, { installationId, signal, onCall }: Preparation): void {
  github.hook.before('request', request => {
    signal?.throwIfAborted()
    request.headers['x-github-api-version'] = '2022-11-28'
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MILLIS)
    request.request = {
      ...request.request,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    }
  })
  github.hook.wrap('request', async (send, request) => {
    const count = (status: number, headers: Readonly<Record<string, unknown>> = {}) =>
      onCall({ method: request.method, status, installationId, remaining: remainingIn(headers) })
    for (let attempt = 0; ; attempt += 1) {
      try {
        const response = await send(request)
        count(response.status, response.headers)
        return response
      } catch (error) {
        const status = statusOf(error)
        count(status ?? 0, headersOf(error))
        const pause = PAUSES_MILLIS[attempt]
        if (pause === undefined || !isRead(request) || !isPassing(status) || signal?.aborted) throw error
        await delay(pause, undefined, signal === undefined ? {} : { signal })
      }
    }
  })
}

/** Whether the request only reads. Our GraphQL requests are all queries. */
function isRead({ method, url }: { readonly method: string; readonly url: string }): boolean {
  return method === 'GET' || url.endsWith('/graphql')
}

function isPassing(status: number | undefined): boolean {
  return status === undefined || status >= 500
}

/** GraphQL has a limit of its own, which we do not come near. */
function remainingIn(headers: Readonly<Record<string, unknown>>): number | undefined {
  return headers['x-ratelimit-resource'] === 'graphql' ? undefined : numberIn(headers, 'x-ratelimit-remaining')
}

/** Undefined if no response came. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined
  // Octokit also reports 500 for a broken connection, but then without a response.
  return 'response' in error && error.response !== undefined ? error.status : undefined
}

/** Headers of the response that an error carries. */
export function headersOf(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error) || !('response' in error)) return {}
  const { response } = error
  if (typeof response !== 'object' || response === null || !('headers' in response)) return {}
  const { headers } = response
  return typeof headers === 'object' && headers !== null ? { ...headers } : {}
}

export function numberIn(headers: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = headers[name]
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}
