/** What emulate's check runs lack: the App that owns them, and annotations that append instead of replacing. */
import { type InstalledApp, memoryMarkApp, owner } from './accounts.ts'
import { type AppJson, appJson } from './authorship.ts'
import type { Events } from './events.ts'
import { type Call, fullNameOf, type Gateway, numberOf, REPOSITORY, type Routes, refuse } from './gateway.ts'

export interface Annotation {
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly annotation_level: string
  readonly message: string
}

export interface CheckRunJson {
  readonly id: number
  readonly name: string
  readonly head_sha: string
  readonly status: string
  readonly conclusion: string | null
  readonly external_id: string
  readonly output: {
    readonly title: string | null
    readonly summary: string | null
    readonly text: string | null
    readonly annotations_count: number
  }
  readonly app: AppJson | null
  readonly check_suite: { readonly id: number } | null
  readonly pull_requests: readonly unknown[]
}

interface CheckRunWrite {
  readonly head_sha?: unknown
  readonly output?: { readonly annotations?: readonly Annotation[] }
}

export class CheckRuns {
  readonly #apps = new Map<number, InstalledApp>()
  readonly #annotations = new Map<number, readonly Annotation[]>()

  /** Notes who wrote and which annotations came with it. */
  record(id: number, app: InstalledApp, write: CheckRunWrite): void {
    this.#apps.set(id, this.#apps.get(id) ?? app)
    this.#annotations.set(id, [...this.annotations(id), ...(write.output?.annotations ?? [])])
  }

  annotations(id: number): readonly Annotation[] {
    return this.#annotations.get(id) ?? []
  }

  ownerOf(id: number): InstalledApp | undefined {
    return this.#apps.get(id)
  }

  complete(run: CheckRunJson): CheckRunJson {
    const app = this.#apps.get(run.id)
    const output = { ...run.output, annotations_count: this.annotations(run.id).length }
    return { ...run, output, app: app === undefined ? null : appJson(app) }
  }
}

export function routeCheckRuns(routes: Routes, gateway: Gateway, checkRuns: CheckRuns, events: Events): void {
  const complete = (run: CheckRunJson) => checkRuns.complete(run)
  routes.post(`${REPOSITORY}/check-runs`, c => writeCheckRun(c, gateway, checkRuns, events))
  routes.patch(`${REPOSITORY}/check-runs/:id`, c => writeCheckRun(c, gateway, checkRuns, events))
  routes.get(`${REPOSITORY}/check-runs/:id`, c => gateway.amended(c, complete))
  routes.get(`${REPOSITORY}/check-runs/:id/annotations`, c =>
    gateway.page(c, checkRuns.annotations(numberOf(c, 'id')), items => items),
  )
  routes.get(`${REPOSITORY}/commits/:ref/check-runs`, c =>
    gateway.amended(c, (list: { check_runs: CheckRunJson[] }) => {
      const appId = c.req.query('app_id')
      const runs = list.check_runs.map(complete).filter(run => appId === undefined || String(run.app?.id) === appId)
      return { total_count: runs.length, check_runs: runs }
    }),
  )
}

async function writeCheckRun(c: Call, gateway: Gateway, checkRuns: CheckRuns, events: Events): Promise<Response> {
  const app = gateway.tokens.callerOf(c.req.header('authorization'))?.installation.app
  if (app === undefined) return refuse(403, 'You must authenticate via a GitHub App.')
  const author = c.req.method === 'PATCH' ? checkRuns.ownerOf(numberOf(c, 'id')) : app
  if (author !== undefined && author !== app)
    return refuse(403, 'Invalid app_id: a check run can only be modified by the GitHub App that created it.')
  const write = (await c.req.json()) as CheckRunWrite
  if (c.req.method === 'POST' && !(await commitExists(gateway, fullNameOf(c), write.head_sha)))
    return refuse(422, `No commit found for SHA: ${write.head_sha}`)
  return gateway.amended(c, (run: CheckRunJson) => {
    checkRuns.record(run.id, app, write)
    const complete = checkRuns.complete(run)
    const action = c.req.method === 'POST' ? 'created' : run.status === 'completed' ? 'completed' : undefined
    // An App hears of its own checks.
    if (action !== undefined && app === memoryMarkApp)
      events.sendAside(fullNameOf(c), 'check_run', { action, check_run: complete }, `${app.slug}[bot]`)
    return complete
  })
}

async function commitExists(gateway: Gateway, fullName: string, sha: unknown): Promise<boolean> {
  return (await gateway.upstream.find(`/repos/${fullName}/git/commits/${sha}`, owner.token)) !== undefined
}
