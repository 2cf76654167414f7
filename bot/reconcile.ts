/** Compares the database with GitHub, to catch up on webhooks that were lost. */
import type { Logger } from 'probot'
import type { GitHub, GitHubApp } from './installation.ts'
import { failureOf } from './queue/failure.ts'
import type { Job, RepositoryPlace } from './queue/jobs.ts'
import type { Queue } from './queue/queue.ts'
import { redeliverMissed } from './redelivery.ts'
import type { Database } from './store/database.ts'
import { seenRuns } from './store/measurements.ts'
import { seenPulls } from './store/seen-pulls.ts'

export interface ReconcileOptions {
  readonly app: GitHubApp
  readonly database: Database
  readonly queue: Queue
  readonly log: Logger
  readonly signal: AbortSignal
  /** Path of the workflow whose reports are accepted without a measurement being due. */
  readonly workflowPath: string
}

/** Repositories without a push for this long are reconciled only when the bot starts. */
const ACTIVE_MILLIS = 48 * 3_600_000

/** The newest of each repository. */
const MAX_PULLS = 100
const MAX_RUNS = 50

/**
 * An installation that fails does not affect the others. Rejects at the end if an error was temporary, so that all of
 * it is retried.
 */
export async function reconcile(options: ReconcileOptions, scope: 'active' | 'all'): Promise<void> {
  const { app, log, signal } = options
  const asApp = await app.asApp()
  let passing: unknown
  const note = (error: unknown, of: { readonly installation?: number }, words: string) => {
    signal.throwIfAborted()
    log.warn({ err: error, ...of }, words)
    const { kind } = failureOf(error, new Date())
    if (kind === 'passing' || kind === 'limited') passing = error
  }
  try {
    await redeliverMissed(options, scope)
  } catch (error) {
    note(error, {}, 'Missed webhooks could not be asked for')
  }
  const installations = await asApp.paginate(asApp.rest.apps.listInstallations, { per_page: 100 })
  for (const { id, suspended_at: suspendedAt } of installations) {
    if (suspendedAt !== null && suspendedAt !== undefined) continue
    try {
      await reconcileInstallation(options, id, scope)
    } catch (error) {
      note(error, { installation: id }, 'An installation could not be compared with GitHub')
    }
  }
  if (passing !== undefined) throw passing
}

async function reconcileInstallation(
  { app, database, queue, workflowPath, signal }: ReconcileOptions,
  installationId: number,
  scope: 'active' | 'all',
): Promise<void> {
  const github = await app.inInstallation(installationId, signal)
  const repositories = await github.paginate(github.rest.apps.listReposAccessibleToInstallation, { per_page: 100 })
  for (const { id: repositoryId, name: repo, owner, archived, pushed_at: pushedAt } of repositories) {
    if (archived || (scope === 'active' && isAsleep(pushedAt))) continue
    const place: RepositoryPlace = { installationId, repositoryId, owner: owner.login, repo }
    await queue.send(await missedPulls(github, database, place))
    await queue.send(await missedRuns(github, database, place, workflowPath))
  }
}

function isAsleep(pushedAt: string | null | undefined): boolean {
  return pushedAt !== null && pushedAt !== undefined && Date.parse(pushedAt) < Date.now() - ACTIVE_MILLIS
}

/** Open pull requests whose newest commit has not been judged. */
async function missedPulls(github: GitHub, database: Database, place: RepositoryPlace): Promise<readonly Job[]> {
  const { data } = await github.rest.pulls.list({
    owner: place.owner,
    repo: place.repo,
    state: 'open',
    sort: 'updated',
    direction: 'desc',
    per_page: MAX_PULLS,
  })
  const numbers = data.map(({ number }) => number)
  const seen = await seenPulls(database, place, numbers)
  return data
    .filter(({ number, head }) => seen.get(number) !== head.sha)
    .map(({ number }) => ({ kind: 'pull-request', ...place, number }))
}

/** Finished runs of pull requests whose report has not been read. Dispatched runs have deadlines instead. */
async function missedRuns(
  github: GitHub,
  database: Database,
  place: RepositoryPlace,
  workflowPath: string,
): Promise<readonly Job[]> {
  const { data } = await github.rest.actions.listWorkflowRunsForRepo({
    owner: place.owner,
    repo: place.repo,
    event: 'pull_request',
    status: 'completed',
    per_page: MAX_RUNS,
  })
  const ids = data.workflow_runs
    .filter(({ path }) => path.replace(/@[\s\S]*$/, '') === workflowPath)
    .map(({ id }) => id)
  const known = await seenRuns(database, place, ids)
  return ids.filter(id => !known.has(id)).map(runId => ({ kind: 'run', ...place, runId }))
}
