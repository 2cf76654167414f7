/** Turns a webhook into jobs. The payload is validated by a schema, and only fields that say where to look are read. */
import * as z from 'zod'
import { CHECK_NAME, RERUN_ACTION } from '../check.ts'
import type { Job, RepositoryPlace } from '../queue/jobs.ts'
import type { CommitKey } from '../store/reruns.ts'
import { installationReaders } from './installation-events.ts'

export interface Work {
  readonly jobs: readonly Job[]
  /** The commit whose check somebody wants to re-run. */
  readonly rerun?: CommitKey
}

/** `unreadable`: a supported event does not match GitHub's documentation. */
export type Reading =
  | { readonly kind: 'work'; readonly name: string; readonly work: Work }
  | { readonly kind: 'not-ours' }
  | { readonly kind: 'unreadable'; readonly why: string }

const id = z.number().int().positive()
const sha = z.string()

const place = z
  .object({
    installation: z.object({ id }),
    repository: z.object({ id, name: z.string(), owner: z.object({ login: z.string() }) }),
  })
  .transform(
    ({ installation, repository }): RepositoryPlace => ({
      installationId: installation.id,
      repositoryId: repository.id,
      owner: repository.owner.login,
      repo: repository.name,
    }),
  )

type Read = (payload: unknown, at: RepositoryPlace) => Work | undefined

const pullRequestActions = new Set([
  'opened',
  'reopened',
  'synchronize',
  'ready_for_review',
  'converted_to_draft',
  'edited',
  'closed',
])

const pullRequest = z.object({
  action: z.string(),
  number: id,
  pull_request: z.object({ merged: z.boolean().nullish() }).optional(),
})
const checkRun = z.object({
  action: z.string(),
  check_run: z.object({ name: z.string(), head_sha: sha }),
  requested_action: z.object({ identifier: z.string() }).optional(),
})
const checkSuite = z.object({ action: z.string(), check_suite: z.object({ head_sha: sha }) })
const workflowRun = z.object({ workflow_run: z.object({ id }) })
const mergeGroup = z.object({
  action: z.string(),
  merge_group: z.object({ head_sha: sha, base_sha: sha, head_ref: z.string().optional() }),
})
const comment = z.object({
  action: z.string(),
  issue: z.object({ number: id, pull_request: z.object({}).optional() }),
  comment: z.object({ id, body: z.string(), user: z.object({ login: z.string() }) }),
})

/** A line of a comment that begins with a call of the bot. Matching takes time linear in the text. */
const called = /^[ \t]*\/memorymark\b/im

const readers: Readonly<Record<string, Read>> = {
  pull_request: (payload, at) => {
    const { action, number, pull_request: pull } = pullRequest.parse(payload)
    if (!pullRequestActions.has(action)) return undefined
    const isMerged = action === 'closed' && pull?.merged === true
    return {
      jobs: [
        { kind: 'pull-request', ...at, number },
        ...(isMerged ? [{ kind: 'merged', ...at, number } as const] : []),
      ],
    }
  },
  check_run: (payload, at) => {
    const { action, check_run: check, requested_action: asked } = checkRun.parse(payload)
    if (check.name !== CHECK_NAME) return undefined
    const isRerun = action === 'rerequested' || (action === 'requested_action' && asked?.identifier === RERUN_ACTION)
    return isRerun ? rerun(at, check.head_sha) : undefined
  },
  check_suite: (payload, at) => {
    const { action, check_suite: suite } = checkSuite.parse(payload)
    return action === 'rerequested' ? rerun(at, suite.head_sha) : undefined
  },
  workflow_run: (payload, at) => ({
    jobs: [{ kind: 'run', ...at, runId: workflowRun.parse(payload).workflow_run.id }],
  }),
  merge_group: (payload, at) => {
    const { action, merge_group: group } = mergeGroup.parse(payload)
    if (action !== 'checks_requested') return undefined
    const pullNumber = pullIn(group.head_ref ?? '')
    const commits = { headSha: group.head_sha, baseSha: group.base_sha }
    return { jobs: [{ kind: 'merge-group', ...at, ...commits, ...(pullNumber !== undefined && { pullNumber }) }] }
  },
  issue_comment: (payload, at) => {
    const { action, issue, comment: written } = comment.parse(payload)
    if (action !== 'created' || issue.pull_request === undefined || !called.test(written.body)) return undefined
    const { id: commentId, body, user } = written
    return { jobs: [{ kind: 'command', ...at, pullNumber: issue.number, commentId, body, author: user.login }] }
  },
}

/** `event` is the `X-GitHub-Event` header. */
export function readEvent(event: string, payload: unknown): Reading {
  try {
    const work = workOf(event, payload)
    return work === undefined ? { kind: 'not-ours' } : { kind: 'work', name: event, work }
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    return { kind: 'unreadable', why: error.issues.map(({ path, code }) => `${path.join('.')} ${code}`).join(', ') }
  }
}

function workOf(event: string, payload: unknown): Work | undefined {
  const ofInstallation = Object.hasOwn(installationReaders, event) ? installationReaders[event] : undefined
  if (ofInstallation !== undefined) {
    const jobs = ofInstallation(payload)
    return jobs.length === 0 ? undefined : { jobs }
  }
  const read = Object.hasOwn(readers, event) ? readers[event] : undefined
  const at = place.safeParse(payload)
  // Events of an organization or of an App without installations have no repository.
  return read !== undefined && at.success ? read(payload, at.data) : undefined
}

/** The number in a merge group's branch, `gh-readonly-queue/<base>/pr-<number>-<sha>`. */
function pullIn(headRef: string): number | undefined {
  const [, number] = /\/pr-(\d{1,9})-[0-9a-f]{40,64}$/.exec(headRef) ?? []
  return number === undefined ? undefined : Number(number)
}

function rerun(at: RepositoryPlace, headSha: string): Work {
  const { installationId, repositoryId } = at
  return { jobs: [{ kind: 'commit', ...at, headSha }], rerun: { installationId, repositoryId, headSha } }
}
