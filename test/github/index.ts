/**
 * An emulated GitHub on loopback, for tests, benches and the demo: `emulate` behind a strict proxy.
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
 *     await repository.comments(pullRequest); await repository.checkRuns(pullRequest.headSha)
 *     github.requests // every API call, in order
 *     github.failNext({ method: 'POST', path: /comments$/, status: 500, times: 1 })
 *
 * Beyond emulate: the files and the live head of a pull request, one object store for a repository and its forks,
 * `performed_via_github_app`, check runs owned by Apps with appending annotations, workflow runs with artifacts,
 * signed webhooks with unique delivery ids. Beyond its laxness: 50 annotations a request, 65,535 characters of check
 * summary and text, 65,536 of a comment, 3,000 listed files, no `pull_requests` for forks.
 */
import { createSign } from 'node:crypto'
import { createEmulator, type Emulator } from 'emulate'
import { actionsApp, type InstalledApp, memoryMarkApp, owner, seed } from './accounts.ts'
import { GitNetwork, type Tree } from './git.ts'
import { type Fault, GitHubProxy, type LoggedRequest } from './proxy.ts'
import { Repository } from './repository.ts'
import { Rest } from './rest.ts'
import { type Delivery, Webhooks } from './webhooks.ts'

export { actionsApp, contributor, memoryMarkApp, owner } from './accounts.ts'
export type { CommentJson } from './authorship.ts'
export type { CheckRunJson } from './check-runs.ts'
export type { LoggedRequest } from './proxy.ts'
export { PullRequest, Repository } from './repository.ts'

export interface AppCredentials {
  readonly id: number
  readonly privateKey: string
  readonly webhookSecret: string
}

export interface EmulatedGitHub extends AsyncDisposable {
  /** The REST API's base URL, without a trailing slash. */
  readonly url: string
  readonly app: AppCredentials
  readonly requests: readonly LoggedRequest[]
  readonly deliveries: readonly Delivery[]
  /** Until called, webhooks are kept but not sent. */
  sendWebhooksTo(url: string): void
  /** The same webhook once more, under the same delivery id. */
  redeliver(delivery: Delivery): Promise<void>
  /** Owned by acme, with one commit on `main`. */
  createRepository(name: string, files: Tree): Promise<Repository>
  /** A workflow's GITHUB_TOKEN, which acts as `github-actions[bot]`. */
  actionsToken(options?: { readonly readOnly?: boolean }): Promise<string>
  failNext(fault: Fault): void
}

export async function startGitHub({ webhooksUrl }: { webhooksUrl?: string } = {}): Promise<EmulatedGitHub> {
  const emulator = await createEmulator({ service: 'github', port: 0, seed })
  const proxy = await GitHubProxy.start(emulator.url)
  const webhookSecret = 'a secret shared with the emulated GitHub'
  const webhooks = new Webhooks(webhookSecret, webhooksUrl)
  const rest = new Rest(proxy.url)
  const world = { rest, webhooks, runs: proxy.runs, checkRuns: proxy.checkRuns }
  return {
    url: proxy.url,
    app: { id: memoryMarkApp.id, privateKey: privateKeyOf(emulator, memoryMarkApp), webhookSecret },
    requests: proxy.requests,
    deliveries: webhooks.deliveries,
    sendWebhooksTo: url => webhooks.sendTo(url),
    redeliver: delivery => webhooks.redeliver(delivery),
    createRepository: async (name, files) => {
      const { full_name: fullName } = await rest.json<{ full_name: string }>('POST', '/user/repos', owner.token, {
        name,
      })
      const git = new GitNetwork(rest, { fullName, token: owner.token })
      const sha = await git.commit(files)
      await rest.json('POST', `/repos/${fullName}/git/refs`, owner.token, { ref: 'refs/heads/main', sha })
      return new Repository(world, git, fullName)
    },
    actionsToken: ({ readOnly = false } = {}) => issueActionsToken(rest, privateKeyOf(emulator, actionsApp), readOnly),
    failNext: fault => proxy.faults.push(fault),
    [Symbol.asyncDispose]: async () => {
      await proxy.close()
      await emulator.close()
    },
  }
}

function privateKeyOf(emulator: Emulator, app: InstalledApp): string {
  const secret = emulator.generatedSecrets.find(({ id }) => id === String(app.id))
  if (secret === undefined) throw new Error(`emulate made no private key for ${app.slug}`)
  return secret.value
}

async function issueActionsToken(rest: Rest, privateKey: string, readOnly: boolean): Promise<string> {
  const permissions = readOnly
    ? Object.fromEntries(Object.keys(actionsApp.permissions).map(name => [name, 'read']))
    : actionsApp.permissions
  const path = `/app/installations/${actionsApp.installationId}/access_tokens`
  const { token } = await rest.json<{ token: string }>('POST', path, appJwt(actionsApp.id, privateKey), { permissions })
  return token
}

function appJwt(appId: number, privateKey: string): string {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const claims = { iat: nowSeconds - 60, exp: nowSeconds + 300, iss: String(appId) }
  const signed = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`
}
