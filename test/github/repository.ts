/** One repository of the emulated world, and what people and workflows do to it. */
import { type Account, contributor, memoryMarkApp, owner } from './accounts.ts'
import { type Artifacts, piecesOf } from './artifacts.ts'
import type { CommentJson } from './authorship.ts'
import type { Annotation, CheckRunJson, CheckRuns } from './check-runs.ts'
import type { Difference } from './differences.ts'
import type { Events } from './events.ts'
import type { FileChanges, GitNetwork } from './git.ts'
import type { GroupOutcome, MergeGroup, MergeOutcome, Merges, Protection, QueueOutcome } from './merges.ts'
import { type NewPullRequest, PullRequest } from './pull-request.ts'
import type { PullRequestJson } from './pull-requests.ts'
import type { Rest } from './rest.ts'
import type { ReviewCommentJson } from './review-comments.ts'
import type { Delivery, Payload } from './webhooks.ts'
import type { FinishedRun, NewRun, RunResult, WorkflowRunJson, WorkflowRuns } from './workflow-runs.ts'

export interface World {
  /** Through the proxy, so that what is read here is what GitHub would show. */
  readonly rest: Rest
  /** Past it, for what people do. */
  readonly upstream: Rest
  readonly events: Events
  readonly runs: WorkflowRuns
  readonly artifacts: Artifacts
  readonly checkRuns: CheckRuns
  readonly merges: Merges
}

export class Repository {
  readonly fullName: string
  readonly owner: string
  readonly name: string
  readonly #world: World
  readonly #git: GitNetwork
  readonly #account: Account
  #branches = 0
  #fork: Promise<void> | undefined

  constructor(world: World, git: GitNetwork, account: Account, name: string) {
    this.fullName = `${account.login}/${name}`
    this.owner = account.login
    this.name = name
    this.#world = world
    this.#git = git
    this.#account = account
  }

  /** To mona's account, once; while it is made, nothing else may be committed. */
  fork(): Promise<void> {
    this.#fork ??= this.#post('forks', contributor, {}).then(() => this.#git.join(this.#home(true)))
    return this.#fork
  }

  async openPullRequest({
    files,
    base = 'main',
    fork = false,
    draft = false,
    title,
  }: NewPullRequest): Promise<PullRequest> {
    if (fork) await this.fork()
    this.#branches += 1
    const branch = `change-${this.#branches}`
    const name = title ?? `Change ${this.#branches}`
    const sha = await this.#git.commit(files, await this.branchHead(base))
    await this.#createRef(branch, sha, fork)
    const { number } = await this.#post<{ number: number }>('pulls', fork ? contributor : this.#account, {
      title: name,
      head: fork ? `${contributor.login}:${branch}` : branch,
      base,
      draft,
    })
    const pullRequest = new PullRequest(number, branch, fork, sha)
    await this.#pullRequestEvent('opened', pullRequest)
    return pullRequest
  }

  async pushTo(pullRequest: PullRequest, files: FileChanges): Promise<string> {
    return this.#push(pullRequest, await this.#git.commit(files, pullRequest.headSha), false)
  }

  /** A rewritten branch: the commit stands on the base's tip, and what the branch held is gone. */
  async forcePushTo(pullRequest: PullRequest, files: FileChanges): Promise<string> {
    const { base } = await this.pullRequest(pullRequest)
    return this.#push(pullRequest, await this.#git.commit(files, await this.branchHead(base.ref)), true)
  }

  /** A commit straight on a branch of the repository. */
  async pushToBranch(branch: string, files: FileChanges): Promise<string> {
    const before = await this.branchHead(branch)
    const after = await this.#git.commit(files, before)
    await this.#moveRef(branch, after, false, false)
    await this.#send('push', { ref: `refs/heads/${branch}`, before, after })
    return after
  }

  /** Commits to a new branch cut from `main`, for pull requests that merge elsewhere. */
  async createBranch(name: string, files: FileChanges): Promise<void> {
    await this.#createRef(name, await this.#git.commit(files, await this.branchHead('main')), false)
  }

  async deleteBranch(pullRequest: PullRequest): Promise<void> {
    const { fullName, token } = this.#home(pullRequest.fromFork)
    const deleted = await this.#world.upstream.send(
      'DELETE',
      `/repos/${fullName}/git/refs/heads/${pullRequest.branch}`,
      token,
    )
    if (!deleted.ok) throw new Error(`${pullRequest.branch} could not be deleted: ${deleted.status}`)
  }

  async retarget(pullRequest: PullRequest, base: string): Promise<void> {
    const { base: previous } = await this.pullRequest(pullRequest)
    await this.#patchPull(pullRequest, { base })
    const changes = { base: { ref: { from: previous.ref }, sha: { from: previous.sha } } }
    await this.#pullRequestEvent('edited', pullRequest, { changes })
  }

  async retitle(pullRequest: PullRequest, title: string): Promise<void> {
    const { title: previous } = await this.pullRequest(pullRequest)
    await this.#patchPull(pullRequest, { title })
    await this.#pullRequestEvent('edited', pullRequest, { changes: { title: { from: previous } } })
  }

  async markReady(pullRequest: PullRequest): Promise<void> {
    await this.#patchPull(pullRequest, { draft: false })
    await this.#pullRequestEvent('ready_for_review', pullRequest)
  }

  async close(pullRequest: PullRequest): Promise<void> {
    await this.#patchPull(pullRequest, { state: 'closed' })
    await this.#pullRequestEvent('closed', pullRequest)
  }

  async reopen(pullRequest: PullRequest): Promise<void> {
    await this.#patchPull(pullRequest, { state: 'open' })
    await this.#pullRequestEvent('reopened', pullRequest)
  }

  /** "Re-run" on the check's page. */
  async rerequestCheckRun(run: CheckRunJson): Promise<void> {
    await this.#send('check_run', { action: 'rerequested', check_run: run })
  }

  /** A button that the App itself has put on its check. */
  async requestCheckAction(run: CheckRunJson, identifier: string): Promise<void> {
    await this.#send('check_run', { action: 'requested_action', check_run: run, requested_action: { identifier } })
  }

  /** "Re-run all checks" on the commit's page. */
  async rerequestCheckSuite(headSha: string): Promise<void> {
    const suite = { id: 1, head_sha: headSha, app: { id: memoryMarkApp.id }, pull_requests: [] }
    await this.#send('check_suite', { action: 'rerequested', check_suite: suite })
  }

  /** A run of the repository's own workflow, waiting for a runner. */
  async queueWorkflowRun(pullRequest: PullRequest, { headSha, ...run }: NewRun): Promise<WorkflowRunJson> {
    const home = this.#home(pullRequest.fromFork)
    const name = run.name ?? 'MemoryMark'
    const queued = this.#world.runs.add({
      name,
      display_title: name,
      path: run.path ?? '.github/workflows/memorymark.yml',
      event: run.event ?? 'pull_request',
      status: 'queued',
      conclusion: null,
      head_sha: headSha,
      head_branch: pullRequest.branch,
      head_repository: { full_name: home.fullName, owner: { login: home.login } },
      repository: { full_name: this.fullName },
      actor: { login: home.login },
      pull_requests: pullRequest.fromFork ? [] : [{ number: pullRequest.number }],
    })
    const workflow = { id: 1, name: queued.name, path: queued.path }
    await this.#send('workflow_run', { action: 'requested', workflow_run: queued, workflow })
    return queued
  }

  startRun(run: WorkflowRunJson): Promise<WorkflowRunJson> {
    return this.#world.runs.start(run)
  }

  /** Of a queued, started or dispatched run. */
  async finishRun(run: WorkflowRunJson, result: RunResult = {}): Promise<WorkflowRunJson> {
    this.#attachArtifact(run.id, result)
    return this.#world.runs.finish(run, result.conclusion ?? 'success')
  }

  async finishWorkflowRun(pullRequest: PullRequest, finished: FinishedRun): Promise<WorkflowRunJson> {
    return this.finishRun(await this.queueWorkflowRun(pullRequest, finished), finished)
  }

  /** Newest first. */
  workflowRuns(): readonly WorkflowRunJson[] {
    return this.#world.runs.in(this.fullName)
  }

  /** What a dispatched run was started with. */
  inputsOf(run: WorkflowRunJson): Readonly<Record<string, string>> {
    return this.#world.runs.inputsOf(run.id)
  }

  protect(branch: string, protection: Protection): void {
    this.#world.merges.protect(this.fullName, branch, protection)
  }

  /** The button on the pull request. */
  merge(pullRequest: Pick<PullRequest, 'number' | 'headSha'>): Promise<MergeOutcome> {
    return this.#world.merges.merge(this.fullName, pullRequest.number, pullRequest.headSha)
  }

  /** "Merge when ready", where the branch has a queue. */
  enqueue(pullRequest: Pick<PullRequest, 'number'>): Promise<QueueOutcome> {
    return this.#world.merges.enqueue(this.fullName, pullRequest.number)
  }

  /** What the queue does with the group as its checks stand now. */
  settleMergeGroup(group: MergeGroup): Promise<GroupOutcome> {
    return this.#world.merges.settle(this.fullName, group)
  }

  pullRequest(pullRequest: Pick<PullRequest, 'number'>): Promise<PullRequestJson> {
    return this.#get(`pulls/${pullRequest.number}`)
  }

  /** All of them, newest first. */
  pullRequests(): Promise<readonly PullRequestJson[]> {
    return this.#get('pulls?state=all&per_page=100')
  }

  /** The first hundred, sorted by path. */
  changedFiles(pullRequest: Pick<PullRequest, 'number'>): Promise<readonly Difference[]> {
    return this.#get(`pulls/${pullRequest.number}/files?per_page=100`)
  }

  /** The first hundred. */
  comments(pullRequest: Pick<PullRequest, 'number'>): Promise<readonly CommentJson[]> {
    return this.#get(`issues/${pullRequest.number}/comments?per_page=100`)
  }

  reviewComments(pullRequest: Pick<PullRequest, 'number'>): Promise<readonly ReviewCommentJson[]> {
    return this.#get(`pulls/${pullRequest.number}/comments?per_page=100`)
  }

  async comment(pullRequest: Pick<PullRequest, 'number'>, body: string, as: Account = owner): Promise<CommentJson> {
    const comment = await this.#post<CommentJson>(`issues/${pullRequest.number}/comments`, as, { body })
    await this.#commentEvent('created', pullRequest, comment, as)
    return comment
  }

  async editComment(pullRequest: Pick<PullRequest, 'number'>, { id, body: from }: CommentJson, body: string) {
    const path = `/repos/${this.fullName}/issues/comments/${id}`
    const comment = await this.#world.rest.json<CommentJson>('PATCH', path, this.#account.token, { body })
    await this.#commentEvent('edited', pullRequest, comment, owner, { changes: { body: { from } } })
  }

  reactions(comment: CommentJson): Promise<readonly { readonly content: string }[]> {
    return this.#get(`issues/comments/${comment.id}/reactions`)
  }

  /** Without pull requests, newest first. */
  issues(): Promise<
    readonly (CommentJson & { readonly number: number; readonly title: string; readonly state: string })[]
  > {
    return this.#get('issues?state=all&per_page=100')
  }

  async turnIssuesOff(): Promise<void> {
    await this.#world.upstream.json('PATCH', this.#path, this.#account.token, { has_issues: false })
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

  /** The text of a file; undefined where there is none. */
  async fileAt(path: string, ref: string): Promise<string | undefined> {
    const file = await this.#world.rest.find<{ content: string }>(
      `${this.#path}/contents/${path}?ref=${ref}`,
      this.#account.token,
    )
    return file && Buffer.from(file.content, 'base64').toString()
  }

  get #path(): string {
    return `/repos/${this.fullName}`
  }

  #home(fork: boolean): { readonly fullName: string; readonly login: string; readonly token: string } {
    return fork
      ? { ...contributor, fullName: `${contributor.login}/${this.name}` }
      : { ...this.#account, fullName: this.fullName }
  }

  async #push(pullRequest: PullRequest, sha: string, force: boolean): Promise<string> {
    const before = pullRequest.headSha
    await this.#moveRef(pullRequest.branch, sha, pullRequest.fromFork, force)
    pullRequest.moveTo(sha)
    // A push is an update of the pull request: listings by that date must show it.
    await this.#patchPull(pullRequest, { title: (await this.pullRequest(pullRequest)).title })
    await this.#pullRequestEvent('synchronize', pullRequest, { before, after: sha })
    return sha
  }

  async #createRef(name: string, sha: string, fork: boolean): Promise<void> {
    const { fullName, token } = this.#home(fork)
    await this.#world.upstream.json('POST', `/repos/${fullName}/git/refs`, token, { ref: `refs/heads/${name}`, sha })
  }

  async #moveRef(name: string, sha: string, fork: boolean, force: boolean): Promise<void> {
    const { fullName, token } = this.#home(fork)
    await this.#world.upstream.json('PATCH', `/repos/${fullName}/git/refs/heads/${name}`, token, { sha, force })
  }

  async #patchPull(pullRequest: PullRequest, change: object): Promise<void> {
    await this.#world.upstream.json('PATCH', `${this.#path}/pulls/${pullRequest.number}`, this.#account.token, change)
  }

  #attachArtifact(runId: number, result: RunResult): void {
    const { artifact, artifactName = 'memorymark-report', claimedSizeBytes, expired = false } = result
    if (artifact === undefined) return
    const zip = artifact instanceof Uint8Array ? artifact : undefined
    const pieces = artifact instanceof Uint8Array ? piecesOf(artifact) : artifact
    const sizeInBytes = claimedSizeBytes ?? zip?.byteLength ?? 0
    this.#world.artifacts.attach({ runId, name: artifactName, pieces, sizeInBytes, expired })
  }

  async #pullRequestEvent(action: string, pullRequest: PullRequest, extra: object = {}): Promise<void> {
    const payload = { action, number: pullRequest.number, pull_request: await this.pullRequest(pullRequest), ...extra }
    await this.#send('pull_request', payload)
  }

  async #commentEvent(
    action: string,
    pullRequest: Pick<PullRequest, 'number'>,
    comment: CommentJson,
    by: Account,
    extra: object = {},
  ): Promise<void> {
    const issue = await this.#get<object>(`issues/${pullRequest.number}`)
    await this.#send('issue_comment', { action, issue, comment, ...extra }, by.login)
  }

  #send(event: string, payload: Payload, sender?: string): Promise<Delivery | undefined> {
    return this.#world.events.send(this.fullName, event, payload, sender)
  }

  #get<T>(path: string): Promise<T> {
    return this.#world.rest.json<T>('GET', `${this.#path}/${path}`, this.#account.token)
  }

  #post<T>(path: string, as: Account, body: unknown): Promise<T> {
    return this.#world.rest.json<T>('POST', `${this.#path}/${path}`, as.token, body)
  }
}
