/** Protected branches: which checks they require, whether a merge is allowed, and the queue in front of them. */
import { owner, ownerOf } from './accounts.ts'
import type { CheckRunJson, CheckRuns } from './check-runs.ts'
import type { Events } from './events.ts'
import { bodyOf, fullNameOf, numberOf, REPOSITORY, type Routes, refuse } from './gateway.ts'
import type { GitNetwork } from './git.ts'
import type { PullRequestJson, PullRequests } from './pull-requests.ts'
import type { Rest } from './rest.ts'

export interface RequiredCheck {
  readonly context: string
  /** Of the App that must write it; any App, unless told. */
  readonly app_id?: number
}

export interface Protection {
  readonly checks: readonly RequiredCheck[]
  /** Nothing is merged but by the queue. */
  readonly mergeQueue: boolean
}

export interface MergeGroup {
  readonly pullNumber: number
  readonly head_sha: string
  readonly head_ref: string
  readonly base_sha: string
  readonly base_ref: string
}

export type MergeOutcome =
  | { readonly kind: 'merged'; readonly sha: string }
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }

export type QueueOutcome =
  | { readonly kind: 'queued'; readonly group: MergeGroup }
  | { readonly kind: 'refused'; readonly reason: string }

/** `waiting`: some required check has not reported on the group's commit. */
export type GroupOutcome =
  | { readonly kind: 'merged'; readonly sha: string }
  | { readonly kind: 'waiting'; readonly reason: string }
  | { readonly kind: 'removed'; readonly reason: string }

interface Kept {
  readonly rest: Rest
  readonly pullRequests: PullRequests
  readonly checkRuns: CheckRuns
  readonly events: Events
}

type CheckState = 'passing' | 'expected' | 'pending' | 'failing'

const open: Protection = { checks: [], mergeQueue: false }

export class Merges {
  readonly #kept: Kept
  readonly #networks = new Map<string, GitNetwork>()
  readonly #protections = new Map<string, Protection>()

  constructor(kept: Kept) {
    this.#kept = kept
  }

  register(fullName: string, network: GitNetwork): void {
    this.#networks.set(fullName, network)
  }

  protect(fullName: string, branch: string, protection: Protection): void {
    this.#protections.set(`${fullName} ${branch}`, protection)
  }

  protectionOf(fullName: string, branch: string): Protection | undefined {
    return this.#protections.get(`${fullName} ${branch}`)
  }

  /** As the button on the pull request would. */
  async merge(fullName: string, number: number, expectedHead: string | undefined): Promise<MergeOutcome> {
    const pull = await this.#kept.pullRequests.get(fullName, number)
    if (pull === undefined) return refused(404, 'Not Found')
    if (pull.state !== 'open' || pull.draft) return refused(405, 'Pull Request is not mergeable')
    if (expectedHead !== undefined && expectedHead !== pull.head.sha)
      return refused(409, 'Head branch was modified. Review and try the merge again.')
    const { mergeQueue } = this.protectionOf(fullName, pull.base.ref) ?? open
    if (mergeQueue) return refused(405, 'Changes must be made through the merge queue')
    const missing = await this.#missing(fullName, pull.base.ref, pull.head.sha)
    if (missing !== undefined) return refused(405, missing.words)
    const sha = await this.#mergeCommit(fullName, pull)
    await this.#land(fullName, pull, sha)
    return { kind: 'merged', sha }
  }

  /** "Merge when ready": GitHub queues what passes on its own and has the group checked anew. */
  async enqueue(fullName: string, number: number): Promise<QueueOutcome> {
    const pull = await this.#kept.pullRequests.get(fullName, number)
    if (pull === undefined || pull.state !== 'open') return { kind: 'refused', reason: 'Pull Request is not mergeable' }
    const missing = await this.#missing(fullName, pull.base.ref, pull.head.sha)
    if (missing !== undefined) return { kind: 'refused', reason: missing.words }
    const base = await this.#tip(fullName, pull.base.ref)
    const group: MergeGroup = {
      pullNumber: number,
      head_sha: await this.#mergeCommit(fullName, pull),
      head_ref: `refs/heads/gh-readonly-queue/${pull.base.ref}/pr-${number}-${base}`,
      base_sha: base,
      base_ref: `refs/heads/${pull.base.ref}`,
    }
    await this.#git('POST', fullName, 'refs', { ref: group.head_ref, sha: group.head_sha })
    await this.#tell(fullName, 'checks_requested', group)
    return { kind: 'queued', group }
  }

  /** What the queue does with the group as its checks stand now. */
  async settle(fullName: string, group: MergeGroup): Promise<GroupOutcome> {
    const branch = group.base_ref.replace('refs/heads/', '')
    const missing = await this.#missing(fullName, branch, group.head_sha)
    if (missing !== undefined && missing.state !== 'failing') return { kind: 'waiting', reason: missing.words }
    await this.#kept.rest.send('DELETE', `/repos/${fullName}/git/${group.head_ref}`, ownerOf(fullName).token)
    if (missing !== undefined) {
      await this.#tell(fullName, 'destroyed', group, 'dequeued')
      return { kind: 'removed', reason: missing.words }
    }
    const pull = await this.#kept.pullRequests.get(fullName, group.pullNumber)
    if (pull === undefined) throw new Error(`Pull request ${group.pullNumber} is gone`)
    await this.#land(fullName, pull, group.head_sha)
    await this.#tell(fullName, 'destroyed', group, 'merged')
    return { kind: 'merged', sha: group.head_sha }
  }

  async #missing(
    fullName: string,
    branch: string,
    sha: string,
  ): Promise<{ readonly state: CheckState; readonly words: string } | undefined> {
    const { checks } = this.protectionOf(fullName, branch) ?? open
    const path = `/repos/${fullName}/commits/${sha}/check-runs?filter=all&per_page=100`
    const { check_runs } = await this.#kept.rest.json<{ check_runs: CheckRunJson[] }>('GET', path, owner.token)
    const runs = check_runs.map(run => this.#kept.checkRuns.complete(run))
    for (const check of checks) {
      const state = stateOf(check, runs)
      if (state !== 'passing') return { state, words: `Required status check "${check.context}" is ${state}.` }
    }
    return undefined
  }

  async #mergeCommit(fullName: string, pull: PullRequestJson): Promise<string> {
    const network = this.#networks.get(fullName)
    if (network === undefined) throw new Error(`${fullName} was not made by this emulation`)
    return network.merge(await this.#tip(fullName, pull.base.ref), pull.head.sha)
  }

  async #land(fullName: string, pull: PullRequestJson, sha: string): Promise<void> {
    await this.#git('PATCH', fullName, `refs/heads/${pull.base.ref}`, { sha })
    await this.#kept.pullRequests.close(fullName, pull.number, sha)
    const merged = await this.#kept.pullRequests.get(fullName, pull.number)
    const payload = { action: 'closed', number: pull.number, pull_request: merged }
    await this.#kept.events.send(fullName, 'pull_request', payload)
  }

  async #tell(fullName: string, action: string, group: MergeGroup, reason?: string): Promise<void> {
    const { pullNumber: _, ...told } = group
    const payload = { action, ...(reason === undefined ? {} : { reason }), merge_group: told }
    await this.#kept.events.send(fullName, 'merge_group', payload)
  }

  async #tip(fullName: string, branch: string): Promise<string> {
    const { object } = await this.#git<{ object: { sha: string } }>('GET', fullName, `ref/heads/${branch}`)
    return object.sha
  }

  #git<T>(method: string, fullName: string, path: string, body?: unknown): Promise<T> {
    return this.#kept.rest.json<T>(method, `/repos/${fullName}/git/${path}`, ownerOf(fullName).token, body)
  }
}

function refused(status: number, reason: string): MergeOutcome {
  return { kind: 'refused', status, reason }
}

/** The newest run of the name, by the App that is asked for: those of others say nothing. */
function stateOf({ context, app_id: appId }: RequiredCheck, runs: readonly CheckRunJson[]): CheckState {
  const newest = runs
    .filter(run => run.name === context && (appId === undefined || run.app?.id === appId))
    .reduce<CheckRunJson | undefined>((latest, run) => (latest && latest.id > run.id ? latest : run), undefined)
  if (newest === undefined) return 'expected'
  if (newest.status !== 'completed') return 'pending'
  return ['success', 'neutral', 'skipped'].includes(newest.conclusion ?? '') ? 'passing' : 'failing'
}

export function routeMerges(routes: Routes, merges: Merges): void {
  routes.put(`${REPOSITORY}/pulls/:number/merge`, async c => {
    const { sha } = ((await bodyOf(c)) ?? {}) as { sha?: string }
    const outcome = await merges.merge(fullNameOf(c), numberOf(c, 'number'), sha)
    return outcome.kind === 'merged'
      ? c.json({ sha: outcome.sha, merged: true, message: 'Pull Request successfully merged' })
      : refuse(outcome.status, outcome.reason)
  })
  routes.get(`${REPOSITORY}/branches/:branch/protection`, c => {
    const protection = merges.protectionOf(fullNameOf(c), c.req.param('branch'))
    return protection === undefined
      ? refuse(404, 'Branch not protected')
      : c.json({ required_status_checks: { strict: false, checks: protection.checks } })
  })
}
