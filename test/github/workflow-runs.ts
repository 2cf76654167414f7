/** Workflow runs, which emulate can list but not keep: listed, dispatched, cancelled, and finished by whoever tests. */
import { parse } from 'yaml'
import { owner } from './accounts.ts'
import type { Events } from './events.ts'
import {
  bodyOf,
  type Call,
  fullNameOf,
  type Gateway,
  notFound,
  numberOf,
  REPOSITORY,
  type Routes,
  refuse,
} from './gateway.ts'

export interface WorkflowRunJson {
  readonly id: number
  readonly name: string
  /** The workflow's `run-name`, or its name. */
  readonly display_title: string
  readonly path: string
  readonly event: string
  readonly status: 'queued' | 'in_progress' | 'completed'
  readonly conclusion: string | null
  readonly head_sha: string
  readonly head_branch: string
  readonly head_repository: { readonly full_name: string; readonly owner: { readonly login: string } }
  readonly repository: { readonly full_name: string }
  readonly actor: { readonly login: string }
  /** Empty for a fork, as on GitHub. */
  readonly pull_requests: readonly { readonly number: number }[]
  readonly html_url: string
  readonly created_at: string
}

export interface RunResult {
  readonly conclusion?: string
  /** The artifact's zip, or its bytes piece by piece; none unless told. */
  readonly artifact?: Uint8Array | (() => Iterable<Uint8Array<ArrayBuffer>>)
  readonly artifactName?: string
  /** What the artifact's listing claims; the truth unless told, where it is known. */
  readonly claimedSizeBytes?: number
  readonly expired?: boolean
}

export interface NewRun {
  readonly headSha: string
  readonly name?: string
  readonly path?: string
  readonly event?: string
}

export type FinishedRun = NewRun & RunResult

const FIRST_ID = 9_000_000_000

/** GitHub allows 25 since the end of 2025. */
const MAX_INPUTS = 25

export class WorkflowRuns {
  readonly #runs = new Map<number, WorkflowRunJson>()
  readonly #inputs = new Map<number, Readonly<Record<string, string>>>()
  readonly #events: Events

  constructor(events: Events) {
    this.#events = events
  }

  add(run: Omit<WorkflowRunJson, 'id' | 'html_url' | 'created_at'>): WorkflowRunJson {
    const id = FIRST_ID + this.#runs.size
    const added: WorkflowRunJson = {
      ...run,
      id,
      html_url: `https://github.com/${run.repository.full_name}/actions/runs/${id}`,
      created_at: new Date().toISOString(),
    }
    this.#runs.set(id, added)
    return added
  }

  get(fullName: string, id: number): WorkflowRunJson | undefined {
    const run = this.#runs.get(id)
    return run?.repository.full_name === fullName ? run : undefined
  }

  /** Newest first. */
  in(fullName: string): readonly WorkflowRunJson[] {
    return [...this.#runs.values()].filter(run => run.repository.full_name === fullName).reverse()
  }

  /** What a dispatched run was started with. */
  inputsOf(id: number): Readonly<Record<string, string>> {
    return this.#inputs.get(id) ?? {}
  }

  dispatched(run: Parameters<WorkflowRuns['add']>[0], inputs: Readonly<Record<string, string>>): WorkflowRunJson {
    const added = this.add(run)
    this.#inputs.set(added.id, inputs)
    this.#events.sendAside(run.repository.full_name, 'workflow_run', payload('requested', added))
    return added
  }

  async start(run: WorkflowRunJson): Promise<WorkflowRunJson> {
    const started: WorkflowRunJson = { ...run, status: 'in_progress' }
    this.#runs.set(run.id, started)
    await this.#events.send(run.repository.full_name, 'workflow_run', payload('in_progress', started))
    return started
  }

  async finish(run: WorkflowRunJson, conclusion: string): Promise<WorkflowRunJson> {
    const finished = this.#finished(run, conclusion)
    await this.#events.send(run.repository.full_name, 'workflow_run', payload('completed', finished))
    return finished
  }

  cancel(run: WorkflowRunJson): void {
    const cancelled = this.#finished(run, 'cancelled')
    this.#events.sendAside(run.repository.full_name, 'workflow_run', payload('completed', cancelled))
  }

  #finished(run: WorkflowRunJson, conclusion: string): WorkflowRunJson {
    const finished: WorkflowRunJson = { ...run, status: 'completed', conclusion }
    this.#runs.set(run.id, finished)
    return finished
  }
}

function payload(action: string, run: WorkflowRunJson) {
  return { action, workflow_run: run, workflow: { id: 1, name: run.name, path: run.path } }
}

export function routeWorkflowRuns(routes: Routes, gateway: Gateway, runs: WorkflowRuns): void {
  routes.get(`${REPOSITORY}/actions/runs`, c => list(c, gateway, runs.in(fullNameOf(c))))
  routes.get(`${REPOSITORY}/actions/workflows/:workflow/runs`, c =>
    list(
      c,
      gateway,
      runs.in(fullNameOf(c)).filter(({ path }) => path.endsWith(`/${c.req.param('workflow')}`)),
    ),
  )
  routes.get(`${REPOSITORY}/actions/runs/:id`, c => {
    const run = runs.get(fullNameOf(c), numberOf(c, 'id'))
    return run === undefined ? notFound() : c.json(run)
  })
  routes.post(`${REPOSITORY}/actions/runs/:id/cancel`, c => {
    const run = runs.get(fullNameOf(c), numberOf(c, 'id'))
    if (run === undefined) return notFound()
    if (run.status === 'completed') return refuse(409, 'Cannot cancel a workflow run that is completed.')
    runs.cancel(run)
    return c.json({}, 202)
  })
  routes.post(`${REPOSITORY}/actions/workflows/:workflow/dispatches`, c => dispatch(c, gateway, runs))
}

/** GitHub's `status` takes a conclusion too. */
function list(c: Call, gateway: Gateway, all: readonly WorkflowRunJson[]): Response {
  const { event, head_sha, branch, status, actor } = c.req.query()
  const runs = all.filter(
    run =>
      (event === undefined || run.event === event) &&
      (head_sha === undefined || run.head_sha === head_sha) &&
      (branch === undefined || run.head_branch === branch) &&
      (actor === undefined || run.actor.login === actor) &&
      (status === undefined || run.status === status || run.conclusion === status),
  )
  return gateway.page(c, runs, items => ({ total_count: runs.length, workflow_runs: items }))
}

interface Workflow {
  readonly name?: string
  readonly 'run-name'?: string
  readonly on?: {
    readonly workflow_dispatch?: { readonly inputs?: Record<string, { readonly required?: boolean }> } | null
  }
}

interface Dispatch {
  readonly ref?: string
  readonly inputs?: Readonly<Record<string, string>>
  readonly return_run_details?: boolean
}

/** Of a workflow on the default branch, as its file says it may be dispatched. */
async function dispatch(c: Call, gateway: Gateway, runs: WorkflowRuns): Promise<Response> {
  const fullName = fullNameOf(c)
  const app = gateway.tokens.callerOf(c.req.header('authorization'))?.installation.app
  const path = `.github/workflows/${c.req.param('workflow')}`
  const file = await gateway.upstream.find<{ content: string }>(`/repos/${fullName}/contents/${path}`, owner.token)
  if (file === undefined) return notFound()
  const workflow = parse(Buffer.from(file.content, 'base64').toString()) as Workflow
  const { ref = '', inputs = {}, return_run_details: details = false } = ((await bodyOf(c)) ?? {}) as Dispatch
  const head = await gateway.upstream.find<{ object: { sha: string } }>(
    `/repos/${fullName}/git/ref/heads/${ref}`,
    owner.token,
  )
  const refusal = dispatchRefusal(workflow, inputs, ref, head !== undefined)
  if (refusal !== undefined) return refuse(422, refusal)
  const run = runs.dispatched(
    {
      name: workflow.name ?? path,
      display_title: titleOf(workflow, inputs) ?? path,
      path,
      event: 'workflow_dispatch',
      status: 'queued',
      conclusion: null,
      head_sha: head?.object.sha ?? '',
      head_branch: ref,
      head_repository: { full_name: fullName, owner: { login: fullName.split('/')[0] ?? '' } },
      repository: { full_name: fullName },
      actor: { login: app === undefined ? owner.login : `${app.slug}[bot]` },
      pull_requests: [],
    },
    inputs,
  )
  if (!details) return c.body(null, 204)
  const runUrl = `${gateway.repositoryUrl(c)}/actions/runs/${run.id}`
  return c.json({ workflow_run_id: run.id, run_url: runUrl, html_url: run.html_url }, 200)
}

function dispatchRefusal(
  workflow: Workflow,
  inputs: Readonly<Record<string, string>>,
  ref: string,
  refExists: boolean,
): string | undefined {
  if (!refExists) return `No ref found for: ${ref}`
  const trigger = workflow.on?.workflow_dispatch
  if (trigger === undefined) return "Workflow does not have 'workflow_dispatch' trigger"
  const declared = trigger?.inputs ?? {}
  const names = Object.keys(inputs)
  if (names.length > MAX_INPUTS)
    return `You may only define up to ${MAX_INPUTS} \`inputs\` for a \`workflow_dispatch\` event`
  const unexpected = names.filter(name => !(name in declared))
  if (unexpected.length > 0) return `Unexpected inputs provided: ${JSON.stringify(unexpected)}`
  const missing = Object.keys(declared).find(name => declared[name]?.required === true && !names.includes(name))
  return missing === undefined ? undefined : `Required input '${missing}' not provided`
}

function titleOf(workflow: Workflow, inputs: Readonly<Record<string, string>>): string | undefined {
  return (
    workflow['run-name']?.replaceAll(/\$\{\{\s*inputs\.([\w-]+)\s*\}\}/g, (_, name: string) => inputs[name] ?? '') ??
    workflow.name
  )
}
