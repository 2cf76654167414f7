/** What emulate's pull requests lack: a head that follows its branch, the files they change, and merges. */
import { owner, ownerOf } from './accounts.ts'
import { type Difference, difference } from './differences.ts'
import type { Events } from './events.ts'
import {
  bodyOf,
  type Call,
  fullNameOf,
  type Gateway,
  numberOf,
  REPOSITORY,
  type Routes,
  refuseFields,
} from './gateway.ts'
import type { Rest } from './rest.ts'

export interface PullRequestJson {
  readonly number: number
  readonly state: string
  readonly title: string
  readonly draft: boolean
  readonly merged: boolean
  readonly merged_at: string | null
  readonly closed_at: string | null
  readonly merge_commit_sha: string | null
  readonly html_url: string
  readonly user: { readonly login: string }
  readonly head: { readonly sha: string; readonly ref: string; readonly repo: { readonly full_name: string } }
  readonly base: { readonly sha: string; readonly ref: string; readonly repo: { readonly full_name: string } }
  readonly changed_files: number
}

/** GitHub lists no more, however many there are. */
const MAX_LISTED_FILES = 3_000

/** Only the answer for a single pull request holds them. */
const onlyAlone = [
  'additions',
  'changed_files',
  'comments',
  'commits',
  'deletions',
  'mergeable',
  'mergeable_state',
  'merged',
  'merged_by',
  'review_comments',
]

export class PullRequests {
  readonly #rest: Rest
  /** By `base...head`; what lies between two commits never changes. */
  readonly #changes = new Map<string, Promise<readonly Difference[]>>()
  readonly #lastHeads = new Map<string, string>()
  readonly #mergeCommits = new Map<string, string>()

  constructor(rest: Rest) {
    this.#rest = rest
  }

  async get(fullName: string, number: number): Promise<PullRequestJson | undefined> {
    const stored = await this.#rest.find<PullRequestJson>(`/repos/${fullName}/pulls/${number}`, owner.token)
    return stored && this.refreshed(stored)
  }

  /** The pull request as GitHub would show it now. */
  async refreshed(stored: PullRequestJson): Promise<PullRequestJson> {
    const live = await this.withLiveHead(stored)
    return { ...live, changed_files: (await this.changedFiles(live)).length }
  }

  async withLiveHead(stored: PullRequestJson): Promise<PullRequestJson> {
    const { head, base } = stored
    const key = `${base.repo.full_name} ${stored.number}`
    const ref = await this.#rest.find<{ object: { sha: string } }>(
      `/repos/${head.repo.full_name}/git/ref/heads/${head.ref}`,
      owner.token,
    )
    // A branch that is gone leaves the pull request at its last commit.
    const sha = ref?.object.sha ?? this.#lastHeads.get(key) ?? head.sha
    this.#lastHeads.set(key, sha)
    const mergeCommit = this.#mergeCommits.get(key) ?? null
    return {
      ...stored,
      head: { ...head, sha },
      merged: mergeCommit !== null,
      merged_at: mergeCommit === null ? null : stored.closed_at,
      merge_commit_sha: mergeCommit,
    }
  }

  /** All files between the merge base and the head, sorted by path, uncapped. */
  changedFiles({ base, head }: PullRequestJson): Promise<readonly Difference[]> {
    const key = `${base.repo.full_name} ${base.sha}...${head.sha}`
    const known = this.#changes.get(key) ?? difference(this.#rest, base.repo.full_name, base.sha, head.sha)
    this.#changes.set(key, known)
    return known
  }

  /** As of one of its commits; undefined where it is none of them, or is not any more. */
  async changedFilesAt(pull: PullRequestJson, sha: string): Promise<readonly Difference[] | undefined> {
    const { base, head } = pull
    const path = `/repos/${base.repo.full_name}/compare/${sha}...${head.sha}`
    const compared = await this.#rest.find<{ merge_base_commit: { sha: string } }>(path, owner.token)
    return compared?.merge_base_commit.sha === sha ? this.changedFiles({ ...pull, head: { ...head, sha } }) : undefined
  }

  async close(fullName: string, number: number, mergeCommit?: string): Promise<void> {
    const { token } = ownerOf(fullName)
    await this.#rest.json('PATCH', `/repos/${fullName}/pulls/${number}`, token, { state: 'closed' })
    if (mergeCommit !== undefined) this.#mergeCommits.set(`${fullName} ${number}`, mergeCommit)
  }

  /** Why GitHub would not open it; emulate would make up a branch that is missing. */
  async refusalOf(fullName: string, head: string, base: string): Promise<string | undefined> {
    const [login, branch] = head.includes(':') ? head.split(':', 2) : [fullName.split('/')[0], head]
    const home = `${login}/${fullName.split('/')[1]}`
    const exists = async (repository: string, name: string) =>
      (await this.#rest.find(`/repos/${repository}/git/ref/heads/${name}`, owner.token)) !== undefined
    if (!(await exists(home, branch ?? ''))) return 'head is invalid'
    if (!(await exists(fullName, base))) return 'base is invalid'
    const open = await this.#rest.json<readonly unknown[]>(
      'GET',
      `/repos/${fullName}/pulls?state=open&base=${base}&head=${login}:${branch}`,
      owner.token,
    )
    return open.length > 0 ? `A pull request already exists for ${login}:${branch}.` : undefined
  }
}

export function routePullRequests(routes: Routes, gateway: Gateway, pullRequests: PullRequests, events: Events): void {
  const refresh = (pull: PullRequestJson) => pullRequests.refreshed(pull)
  routes.get(`${REPOSITORY}/pulls`, c =>
    gateway.amended(c, (all: PullRequestJson[]) =>
      Promise.all(all.map(async pull => asListed(await pullRequests.withLiveHead(pull)))),
    ),
  )
  routes.post(`${REPOSITORY}/pulls`, async c => {
    const { head = '', base = '' } = ((await bodyOf(c)) ?? {}) as { head?: string; base?: string }
    const refusal = await pullRequests.refusalOf(fullNameOf(c), head, base)
    if (refusal !== undefined) return refuseFields('Validation Failed', [{ resource: 'PullRequest', message: refusal }])
    return gateway.amended(c, async (pull: PullRequestJson) => {
      const opened = await refresh(pull)
      const payload = { action: 'opened', number: opened.number, pull_request: opened }
      // People's pull requests are told by repository.ts, which knows when its caller wants to wait.
      if (opened.user.login.endsWith('[bot]'))
        events.sendAside(fullNameOf(c), 'pull_request', payload, opened.user.login)
      return opened
    })
  })
  routes.get(`${REPOSITORY}/pulls/:number`, c => gateway.amended(c, refresh))
  routes.patch(`${REPOSITORY}/pulls/:number`, c => gateway.amended(c, refresh))
  routes.get(`${REPOSITORY}/pulls/:number/files`, c => listFiles(c, gateway, pullRequests))
}

function asListed(pull: PullRequestJson): object {
  return Object.fromEntries(Object.entries(pull).filter(([name]) => !onlyAlone.includes(name)))
}

async function listFiles(c: Call, gateway: Gateway, pullRequests: PullRequests): Promise<Response> {
  const path = `/repos/${fullNameOf(c)}/pulls/${numberOf(c, 'number')}`
  const upstream = await gateway.send(c, path)
  if (!upstream.ok) return upstream
  const pull = await pullRequests.withLiveHead((await upstream.json()) as PullRequestJson)
  const files = await pullRequests.changedFiles(pull)
  return gateway.page(c, files.slice(0, MAX_LISTED_FILES), items => items)
}
