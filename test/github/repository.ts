/** One repository of the emulated world, and what people and workflows do to it. */
import { contributor, memoryMarkApp, owner } from './accounts.ts'
import type { CommentJson } from './authorship.ts'
import type { Annotation, CheckRunJson, CheckRuns } from './check-runs.ts'
import type { FileChanges, GitNetwork } from './git.ts'
import type { PullRequestJson } from './pull-requests.ts'
import type { Rest } from './rest.ts'
import type { Delivery, Webhooks } from './webhooks.ts'
import type { WorkflowRunJson, WorkflowRuns } from './workflow-runs.ts'

export interface World {
  /** Through the proxy, so that what is read here is what GitHub would show. */
  readonly rest: Rest
  readonly webhooks: Webhooks
  readonly runs: WorkflowRuns
  readonly checkRuns: CheckRuns
}

export interface NewPullRequest {
  readonly files: FileChanges
  /** The base branch; `main` unless told. */
  readonly base?: string
  /** From mona's fork instead of a branch of the repository. */
  readonly fork?: boolean
  readonly draft?: boolean
  readonly title?: string
}

export interface FinishedRun {
  readonly headSha: string
  readonly conclusion?: string
  readonly name?: string
  readonly path?: string
  readonly event?: string
  /** The artifact's zip; none unless told. */
  readonly artifact?: Uint8Array
  readonly artifactName?: string
  /** What the artifact's listing claims; the truth unless told. */
  readonly claimedSizeBytes?: number
}

export class PullRequest {
  readonly number: number
  readonly branch: string
  readonly fromFork: boolean
  /** SHA of the newest push. */
  headSha: string
  constructor(number: number, branch: string, fromFork: boolean, headSha: string) {
    this.number = number
    this.branch = branch
    this.fromFork = fromFork
    this.headSha = headSha
  }
}

export class Repository {
  readonly fullName: string
  readonly owner: string
  readonly name: string
  readonly #world: World
  readonly #git: GitNetwork
  #branches = 0
  #forked = false

  constructor(world: World, git: GitNetwork, fullName: string) {
    const [ownerLogin = '', name = ''] = fullName.split('/')
    this.fullName = fullName
    this.owner = ownerLogin
    this.name = name
    this.#world = world
    this.#git = git
  }

  async openPullRequest({
    files,
    base = 'main',
    fork = false,
    draft = false,
    title,
  }: NewPullRequest): Promise<PullRequest> {
    if (fork) await this.#ensureFork()
    this.#branches += 1
    const branch = `change-${this.#branches}`
    const sha = await this.#git.commit(files, await this.branchHead(base))
    await this.#createBranch(branch, sha, fork)
    const { number } = await this.#post<{ number: number }>('pulls', (fork ? contributor : owner).token, {
      title: title ?? `Change ${this.#branches}`,
      head: fork ? `${contributor.login}:${branch}` : branch,
      base,
      draft,
    })
    const pullRequest = new PullRequest(number, branch, fork, sha)
    await this.#pullRequestEvent('opened', pullRequest)
    return pullRequest
  }

  async pushTo(pullRequest: PullRequest, files: FileChanges): Promise<string> {
    const before = pullRequest.headSha
    const sha = await this.#git.commit(files, before)
    const { fullName, token } = this.#home(pullRequest.fromFork)
    await this.#world.rest.json('PATCH', `/repos/${fullName}/git/refs/heads/${pullRequest.branch}`, token, { sha })
    pullRequest.headSha = sha
    await this.#pullRequestEvent('synchronize', pullRequest, { before, after: sha })
    return sha
  }

  /** Commits to a new branch cut from `main`, for pull requests that merge elsewhere. */
  async createBranch(name: string, files: FileChanges): Promise<void> {
    await this.#createBranch(name, await this.#git.commit(files, await this.branchHead('main')), false)
  }

  async retarget(pullRequest: PullRequest, base: string): Promise<void> {
    const { base: previous } = await this.pullRequest(pullRequest)
    await this.#world.rest.json('PATCH', `${this.#path}/pulls/${pullRequest.number}`, owner.token, { base })
    const changes = { base: { ref: { from: previous.ref }, sha: { from: previous.sha } } }
    await this.#pullRequestEvent('edited', pullRequest, { changes })
  }

  close(pullRequest: PullRequest): Promise<Delivery> {
    return this.#setState(pullRequest, 'closed', 'closed')
  }

  reopen(pullRequest: PullRequest): Promise<Delivery> {
    return this.#setState(pullRequest, 'open', 'reopened')
  }

  /** "Re-run" on the check's page. */
  async rerequestCheckRun(run: CheckRunJson): Promise<Delivery> {
    return this.#send('check_run', { action: 'rerequested', check_run: run })
  }

  /** "Re-run all checks" on the commit's page. */
  async rerequestCheckSuite(headSha: string): Promise<Delivery> {
    const suite = { id: 1, head_sha: headSha, app: { id: memoryMarkApp.id }, pull_requests: [] }
    return this.#send('check_suite', { action: 'rerequested', check_suite: suite })
  }

  async finishWorkflowRun(pullRequest: PullRequest, finished: FinishedRun): Promise<WorkflowRunJson> {
    const home = this.#home(pullRequest.fromFork)
    const run = this.#world.runs.add({
      name: finished.name ?? 'MemoryMark',
      path: finished.path ?? '.github/workflows/memorymark.yml',
      event: finished.event ?? 'pull_request',
      status: 'completed',
      conclusion: finished.conclusion ?? 'success',
      head_sha: finished.headSha,
      head_branch: pullRequest.branch,
      head_repository: { full_name: home.fullName, owner: { login: home.login } },
      repository: { full_name: this.fullName },
      pull_requests: pullRequest.fromFork ? [] : [{ number: pullRequest.number }],
      html_url: `https://github.com/${this.fullName}/actions/runs/1`,
    })
    this.#attachArtifact(run.id, finished)
    const workflow = { id: 1, name: run.name, path: run.path }
    await this.#send('workflow_run', { action: 'completed', workflow_run: run, workflow })
    return run
  }

  pullRequest(pullRequest: PullRequest): Promise<PullRequestJson> {
    return this.#get(`pulls/${pullRequest.number}`)
  }

  /** The first hundred. */
  comments(pullRequest: PullRequest): Promise<readonly CommentJson[]> {
    return this.#get(`issues/${pullRequest.number}/comments?per_page=100`)
  }

  async comment(pullRequest: PullRequest, body: string): Promise<CommentJson> {
    return this.#post(`issues/${pullRequest.number}/comments`, owner.token, { body })
  }

  /** All of them, oldest first. */
  async checkRuns(headSha: string): Promise<readonly CheckRunJson[]> {
    const { check_runs } = await this.#get<{ check_runs: CheckRunJson[] }>(
      `commits/${headSha}/check-runs?filter=all&per_page=100`,
    )
    return check_runs.sort((a, b) => a.id - b.id)
  }

  annotations(checkRunId: number): readonly Annotation[] {
    return this.#world.checkRuns.annotations(checkRunId)
  }

  async branchHead(branch: string): Promise<string> {
    const { object } = await this.#get<{ object: { sha: string } }>(`git/ref/heads/${branch}`)
    return object.sha
  }

  get #path(): string {
    return `/repos/${this.fullName}`
  }

  #home(fork: boolean): { readonly fullName: string; readonly login: string; readonly token: string } {
    return fork
      ? { ...contributor, fullName: `${contributor.login}/${this.name}` }
      : { ...owner, fullName: this.fullName }
  }

  async #ensureFork(): Promise<void> {
    if (this.#forked) return
    this.#forked = true
    await this.#post('forks', contributor.token, {})
    await this.#git.join(this.#home(true))
  }

  async #setState(pullRequest: PullRequest, state: 'open' | 'closed', action: string): Promise<Delivery> {
    await this.#world.rest.json('PATCH', `${this.#path}/pulls/${pullRequest.number}`, owner.token, { state })
    return this.#pullRequestEvent(action, pullRequest)
  }

  async #createBranch(name: string, sha: string, fork: boolean): Promise<void> {
    const { fullName, token } = this.#home(fork)
    await this.#world.rest.json('POST', `/repos/${fullName}/git/refs`, token, { ref: `refs/heads/${name}`, sha })
  }

  #attachArtifact(runId: number, { artifact: zip, artifactName, claimedSizeBytes }: FinishedRun): void {
    if (zip === undefined) return
    const name = artifactName ?? 'memorymark-report'
    this.#world.runs.attach({ runId, name, zip, sizeInBytes: claimedSizeBytes ?? zip.byteLength })
  }

  async #pullRequestEvent(action: string, pullRequest: PullRequest, extra: object = {}): Promise<Delivery> {
    const payload = { action, number: pullRequest.number, pull_request: await this.pullRequest(pullRequest), ...extra }
    return this.#send('pull_request', payload)
  }

  async #send(event: string, payload: object): Promise<Delivery> {
    const repository = await this.#get<object>('')
    const installation = { id: memoryMarkApp.installationId }
    const sender = { login: owner.login, type: 'User' }
    return this.#world.webhooks.send(event, { ...payload, repository, installation, sender })
  }

  #get<T>(path: string): Promise<T> {
    return this.#world.rest.json<T>('GET', path === '' ? this.#path : `${this.#path}/${path}`, owner.token)
  }

  #post<T>(path: string, token: string, body: unknown): Promise<T> {
    return this.#world.rest.json<T>('POST', `${this.#path}/${path}`, token, body)
  }
}
