/** Reads from the workflow's event what to check. */
import * as z from 'zod'
import { MemoryMarkError } from '../engine/base/errors.ts'
import type { Subject as Changed } from '../github/changed-files.ts'
import type { RunContext } from './run-context.ts'

/** `isFork`: whether the pull request's head may be in another repository. */
export type Subject =
  | (Extract<Changed, { kind: 'pull-request' }> & { readonly isFork: boolean })
  | Exclude<Changed, { kind: 'pull-request' }>

/** What the event says without asking GitHub. */
export type EventSubject =
  | Subject
  /** A pull request whose details must be asked from GitHub; at `headSha`, or its newest commit. */
  | { readonly kind: 'named-pull-request'; readonly number: number; readonly headSha?: string }
  | { readonly kind: 'deleted-branch' }

const sha = z.string().regex(/^[0-9a-f]{40,64}$/)

const repository = z.object({ full_name: z.string() }).nullish()
const pullRequestEvent = z.object({
  pull_request: z.object({
    number: z.number().int().positive(),
    changed_files: z.number().int().min(0).optional(),
    base: z.object({ sha, repo: repository }).optional(),
    head: z.object({ sha, repo: repository }).optional(),
  }),
})
const mergeGroupEvent = z.object({ merge_group: z.object({ base_sha: sha, head_sha: sha }) })
const pushEvent = z.object({ before: sha, after: sha, deleted: z.boolean().default(false) })
const unset = z.literal('').transform(() => undefined)
const dispatchEvent = z.object({
  inputs: z
    .object({
      'pull-request': z
        .union([
          unset,
          z
            .string()
            .regex(/^[1-9]\d{0,8}$/)
            .transform(Number),
        ])
        .optional(),
      'head-sha': z.union([unset, sha]).optional(),
    })
    .nullish(),
})

/** @throws MemoryMarkError for an unsupported event, or a payload that is not GitHub's. */
export function readSubject(run: Pick<RunContext, 'eventName' | 'payload' | 'sha'>): EventSubject {
  const { eventName, payload, sha: runSha } = run
  switch (eventName) {
    case 'pull_request':
    case 'pull_request_target':
      return ofPullRequest(parsePayload(pullRequestEvent, eventName, payload).pull_request)
    case 'merge_group': {
      const { merge_group: group } = parsePayload(mergeGroupEvent, eventName, payload)
      return { kind: 'commits', baseSha: group.base_sha, headSha: group.head_sha }
    }
    case 'push':
      return pushed(parsePayload(pushEvent, eventName, payload))
    case 'workflow_dispatch':
      return dispatched(parsePayload(dispatchEvent, eventName, payload), () => parsePayload(sha, eventName, runSha))
    case 'schedule':
      return { kind: 'tree', headSha: parsePayload(sha, eventName, runSha) }
    default:
      throw new MemoryMarkError({
        code: 'event-unsupported',
        message: `The event "${eventName}" does not tell MemoryMark which files to check`,
        fix: 'Run it on pull_request, merge_group, push, workflow_dispatch or schedule.',
      })
  }
}

type EventPullRequest = z.infer<typeof pullRequestEvent>['pull_request']

/** Some senders omit fields of the payload; GitHub is asked for them. */
function ofPullRequest({ number, changed_files: changedFiles, base, head }: EventPullRequest): EventSubject {
  if (changedFiles === undefined || base === undefined || head === undefined) {
    return { kind: 'named-pull-request', number, ...(head && { headSha: head.sha }) }
  }
  const isFork = head.repo?.full_name === undefined || head.repo.full_name !== base.repo?.full_name
  return { kind: 'pull-request', number, baseSha: base.sha, headSha: head.sha, changedFiles, isFork }
}

/** The commit is an input, since the workflow itself runs from the default branch. */
function dispatched({ inputs }: z.infer<typeof dispatchEvent>, runSha: () => string): EventSubject {
  const { 'pull-request': number, 'head-sha': headSha } = inputs ?? {}
  if (number === undefined) return { kind: 'tree', headSha: headSha ?? runSha() }
  return { kind: 'named-pull-request', number, ...(headSha !== undefined && { headSha }) }
}

/** For a new branch `before` is all zeros, and all of its files are checked. */
function pushed({ before, after, deleted }: z.infer<typeof pushEvent>): EventSubject {
  if (deleted) return { kind: 'deleted-branch' }
  return /^0+$/.test(before) ? { kind: 'tree', headSha: after } : { kind: 'commits', baseSha: before, headSha: after }
}

function parsePayload<T>(schema: z.ZodType<T>, eventName: string, payload: unknown): T {
  const parsed = schema.safeParse(payload)
  if (parsed.success) return parsed.data
  throw new MemoryMarkError(
    {
      code: 'event-unreadable',
      message: `The payload of the event "${eventName}" does not match GitHub's documentation`,
      fix: 'Check GITHUB_EVENT_PATH, GITHUB_SHA and the inputs of a dispatch; on GitHub itself, report this with the log of the run.',
    },
    { cause: parsed.error },
  )
}

/** A description for the log. */
export function describeSubject(subject: EventSubject): string {
  switch (subject.kind) {
    case 'pull-request':
      return `pull request #${subject.number} at ${short(subject.headSha)}`
    case 'named-pull-request':
      return `pull request #${subject.number}${subject.headSha === undefined ? '' : ` at ${short(subject.headSha)}`}`
    case 'commits':
      return `commits ${short(subject.baseSha)}..${short(subject.headSha)}`
    case 'tree':
      return `every file at ${short(subject.headSha)}`
    case 'deleted-branch':
      return 'a deleted branch, which has no files'
  }
}

/** The abbreviated SHA, as GitHub shows it. */
export function short(commitSha: string): string {
  return commitSha.slice(0, 7)
}
