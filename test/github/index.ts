/**
 * An emulated GitHub on loopback, for tests, benches, the demo and the chaos run: `emulate` behind a strict proxy.
 *
 *     await using github = await startGitHub()
 *     const repository = await github.createRepository('models', { 'configs/bert.yaml': '…' })
 *     const pullRequest = await repository.openPullRequest({ files: { 'configs/bert.yaml': '…', 'old.yaml': null } })
 *     // An Action: GITHUB_API_URL=github.url, GITHUB_REPOSITORY=repository.fullName, and
 *     const token = await github.actionsToken() // what a workflow's GITHUB_TOKEN is; `{ readOnly: true }` for a fork's
 *     // A bot: start it with github.app and baseUrl github.url, then let the webhooks flow:
 *     github.sendWebhooksTo('http://127.0.0.1:3000/api/github/webhooks')
 *     await repository.pushTo(pullRequest, { 'configs/bert.yaml': '…' })
 *     await repository.finishWorkflowRun(pullRequest, { headSha: pullRequest.headSha, artifact: zip })
 *     await repository.comment(pullRequest, '/memorymark help', maintainer)
 *     await repository.comments(pullRequest); await repository.checkRuns(pullRequest.headSha)
 *     repository.protect('main', { checks: [{ context: 'MemoryMark', app_id: github.app.id }], mergeQueue: false })
 *     await repository.merge(pullRequest) // merged, or refused with GitHub's reason
 *     github.requests // every API call, in order
 *     github.failNext({ method: 'POST', path: /comments$/, status: 500, times: 1 })
 *     github.storm({ seed: 1, probability: 0.1, retryAfterSeconds: 1, maxLatencyMillis: 20 }) // and github.calm()
 *
 * Beyond emulate: the files and the live head of a pull request, one object store for a repository and its forks,
 * `performed_via_github_app`, check runs owned by Apps with appending annotations, workflow runs with artifacts,
 * dispatches and cancellation, manifests of Apps, reactions, comments on lines, merges and merge queues, signed webhooks with unique
 * delivery ids. Beyond its laxness: every call of an App must be listed in permissions.ts and granted (bot/app.yml is
 * what MemoryMark is granted), only subscribed events are sent, and limits.ts holds.
 */
import { createSign } from 'node:crypto'
import { createEmulator } from 'emulate'
import {
  type Account,
  actionsApp,
  type Granted,
  type InstalledApp,
  maintainer,
  memoryMarkApp,
  owner,
  type Permissions,
  privateKeyOf,
  seedFor,
} from './accounts.ts'
import { Artifacts } from './artifacts.ts'
import { CheckRuns } from './check-runs.ts'
import { Events } from './events.ts'
import type { Fault, Mishap, Storm } from './faults.ts'
import { Gateway } from './gateway.ts'
import { GitNetwork, type Tree } from './git.ts'
import { type AppCredentials, type Manifest, Manifests } from './manifests.ts'
import { Merges } from './merges.ts'
import { GitHubProxy, type LoggedRequest } from './proxy.ts'
import { PullRequests } from './pull-requests.ts'
import { Repository } from './repository.ts'
import { Rest } from './rest.ts'
import { type Delivery, Webhooks } from './webhooks.ts'
import { WorkflowRuns } from './workflow-runs.ts'

export { actionsApp, contributor, maintainer, memoryMarkApp, otherOwner, owner } from './accounts.ts'
export { zeros } from './artifacts.ts'
export type { CommentJson } from './authorship.ts'
export type { CheckRunJson } from './check-runs.ts'
export type { FileChanges } from './git.ts'
export type { AppCredentials } from './manifests.ts'
export type { MergeGroup } from './merges.ts'
export type { LoggedRequest } from './proxy.ts'
export { type NewPullRequest, PullRequest } from './pull-request.ts'
export { Repository } from './repository.ts'
export type { Delivery } from './webhooks.ts'

export interface EmulatedGitHub extends AsyncDisposable {
  /** The REST API's base URL, without a trailing slash. */
  readonly url: string
  readonly app: AppCredentials
  /** By which Apps were created, with the organization that was to own each. */
  readonly manifests: readonly { readonly manifest: Manifest; readonly organization: string | undefined }[]
  readonly requests: readonly LoggedRequest[]
  readonly deliveries: readonly Delivery[]
  /** Those that the App has asked GitHub for again; they go where webhooks are sent to. */
  readonly askedAgain: readonly Delivery[]
  /** Bytes of artifacts that were really handed out. */
  readonly servedArtifactBytes: number
  /** Until called, webhooks are kept but not sent. */
  sendWebhooksTo(url: string): void
  /** The same webhook once more, under the same delivery id. */
  redeliver(delivery: Delivery): Promise<void>
  /** To a receiver of the caller's choice; the status of its answer, 0 where there was none. */
  deliver(delivery: Delivery, url: string): Promise<number>
  /** Resolves when no webhook is on its way that an App's own call has caused. */
  settled(): Promise<void>
  /** Owned by acme unless told, with one commit on `main`. */
  createRepository(name: string, files: Tree, options?: { readonly owner?: Account }): Promise<Repository>
  /** A workflow's GITHUB_TOKEN, which acts as `github-actions[bot]`. */
  actionsToken(options?: { readonly readOnly?: boolean }): Promise<string>
  /** An installation token of MemoryMark, as the bot gets it; for acme unless told. */
  botToken(account?: Account): Promise<string>
  failNext(fault: Fault): void
  /** From now on, calls of Apps meet mishaps by chance. */
  storm(storm: Storm): void
  calm(): void
  /** How many calls storms have judged, and which mishaps they met. */
  readonly mishaps: { readonly judged: number; readonly counts: ReadonlyMap<Mishap, number> }
}

export interface GitHubOptions {
  readonly webhooksUrl?: string
  /** What the owners have granted to MemoryMark; what its manifest asks for unless told. */
  readonly granted?: Partial<Granted>
  /** How many entries of a tree are listed; as many as GitHub does unless told. */
  readonly maxTreeEntries?: number
}

const MAX_TREE_ENTRIES = 100_000

export async function startGitHub({
  webhooksUrl,
  granted = {},
  maxTreeEntries = MAX_TREE_ENTRIES,
}: GitHubOptions = {}): Promise<EmulatedGitHub> {
  const emulator = await createEmulator({ service: 'github', port: 0, seed: seedFor(granted) })
  const webhookSecret = 'a secret shared with the emulated GitHub'
  const gateway = new Gateway(emulator.url)
  const webhooks = new Webhooks(webhookSecret, webhooksUrl)
  const events = new Events(gateway.upstream, webhooks, granted.events ?? memoryMarkApp.events)
  const app = { id: memoryMarkApp.id, privateKey: privateKeyOf(memoryMarkApp), webhookSecret }
  const manifests = new Manifests(app, webhooks)
  const pullRequests = new PullRequests(gateway.upstream)
  const checkRuns = new CheckRuns()
  const kept = {
    webhooks,
    events,
    pullRequests,
    checkRuns,
    runs: new WorkflowRuns(events),
    artifacts: new Artifacts(),
    manifests,
    maxTreeEntries,
    merges: new Merges({ rest: gateway.upstream, pullRequests, checkRuns, events }),
  }
  const proxy = await GitHubProxy.start(gateway, kept)
  const world = { ...kept, rest: new Rest(proxy.url), upstream: gateway.upstream }
  return {
    url: proxy.url,
    app,
    manifests: manifests.taken,
    requests: proxy.requests,
    deliveries: webhooks.deliveries,
    askedAgain: webhooks.askedAgain,
    get servedArtifactBytes() {
      return kept.artifacts.servedBytes
    },
    sendWebhooksTo: url => webhooks.sendTo(url),
    redeliver: delivery => webhooks.redeliver(delivery),
    deliver: (delivery, url) => webhooks.deliver(delivery, url),
    settled: () => events.settled(),
    createRepository: async (name, files, options = {}) => {
      const account = options.owner ?? owner
      const git = await createGit(gateway.upstream, account, name, files)
      world.merges.register(`${account.login}/${name}`, git)
      return new Repository(world, git, account, name)
    },
    actionsToken: ({ readOnly = false } = {}) =>
      issueToken(world.rest, actionsApp, owner, readOnly ? readOnlyPermissions(actionsApp) : undefined),
    botToken: (account = owner) => issueToken(world.rest, memoryMarkApp, account),
    failNext: fault => proxy.faults.plan(fault),
    storm: storm => proxy.faults.begin(storm),
    calm: () => proxy.faults.end(),
    get mishaps() {
      return { judged: proxy.faults.judged, counts: proxy.faults.counts }
    },
    [Symbol.asyncDispose]: async () => {
      await events.settled()
      await proxy[Symbol.asyncDispose]()
      await emulator.close()
    },
  }
}

async function createGit(rest: Rest, { login, token }: Account, name: string, files: Tree): Promise<GitNetwork> {
  const fullName = `${login}/${name}`
  await rest.json('POST', '/user/repos', token, { name })
  const invited = await rest.send('PUT', `/repos/${fullName}/collaborators/${maintainer.login}`, token, {
    permission: 'push',
  })
  if (!invited.ok) throw new Error(`${maintainer.login} could not be made a collaborator: ${invited.status}`)
  const git = new GitNetwork(rest, { fullName, token })
  const sha = await git.commit(files)
  await rest.json('POST', `/repos/${fullName}/git/refs`, token, { ref: 'refs/heads/main', sha })
  return git
}

async function issueToken(rest: Rest, app: InstalledApp, account: Account, permissions?: Permissions): Promise<string> {
  const path = `/app/installations/${app.installations[account.login]}/access_tokens`
  const { token } = await rest.json<{ token: string }>('POST', path, appJwt(app.id, privateKeyOf(app)), {
    permissions,
  })
  return token
}

function readOnlyPermissions(app: InstalledApp): Permissions {
  return Object.fromEntries(Object.keys(app.permissions).map(name => [name, 'read']))
}

/** What an App authenticates with as itself. */
export function appJwt(appId: number, privateKey: string): string {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const claims = { iat: nowSeconds - 60, exp: nowSeconds + 300, iss: String(appId) }
  const signed = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`
}
