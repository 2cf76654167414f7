/** What the workflow's event asks to look at. */
import * as z from 'zod'
import { MemoryMarkError } from '../engine/index.ts'

export type Subject =
  | {
      readonly kind: 'pull-request'
      readonly number: number
      readonly baseSha: string
      readonly headSha: string
      /** As GitHub counts them; its list of files stops at 3,000. */
      readonly changedFiles: number
    }
  /** What lies between two commits, as in a push or a merge group. */
  | { readonly kind: 'commits'; readonly baseSha: string; readonly headSha: string }
  /** Everything at a commit. */
  | { readonly kind: 'tree'; readonly headSha: string }
  | { readonly kind: 'deleted-branch' }

const sha = z.string().regex(/^[0-9a-f]{40,64}$/)

const pullRequestEvent = z.object({
  pull_request: z.object({
    number: z.number().int().positive(),
    changed_files: z.number().int().min(0),
    base: z.object({ sha }),
    head: z.object({ sha }),
  }),
})
const mergeGroupEvent = z.object({ merge_group: z.object({ base_sha: sha, head_sha: sha }) })
const pushEvent = z.object({ before: sha, after: sha, deleted: z.boolean().default(false) })

/**
 * @param workflowSha The commit of the workflow run, for events that carry none.
 * @throws MemoryMarkError for an event that names no files, or a payload that is not GitHub's.
 */
export function readSubject(eventName: string, payload: unknown, workflowSha: string): Subject {
  switch (eventName) {
    case 'pull_request':
    case 'pull_request_target': {
      const { pull_request: pull } = parsePayload(pullRequestEvent, eventName, payload)
      return {
        kind: 'pull-request',
        number: pull.number,
        baseSha: pull.base.sha,
        headSha: pull.head.sha,
        changedFiles: pull.changed_files,
      }
    }
    case 'merge_group': {
      const { merge_group: group } = parsePayload(mergeGroupEvent, eventName, payload)
      return { kind: 'commits', baseSha: group.base_sha, headSha: group.head_sha }
    }
    case 'push':
      return pushed(parsePayload(pushEvent, eventName, payload))
    case 'workflow_dispatch':
    case 'schedule':
      return { kind: 'tree', headSha: parsePayload(sha, eventName, workflowSha) }
    default:
      throw new MemoryMarkError({
        code: 'event-unsupported',
        message: `MemoryMark does not know which files the event "${eventName}" is about`,
        fix: 'Run it on pull_request, merge_group, push, workflow_dispatch or schedule.',
      })
  }
}

/** A new branch has no commit before it (`before` is all zeros), so everything on it counts. */
function pushed({ before, after, deleted }: z.infer<typeof pushEvent>): Subject {
  if (deleted) return { kind: 'deleted-branch' }
  return /^0+$/.test(before) ? { kind: 'tree', headSha: after } : { kind: 'commits', baseSha: before, headSha: after }
}

function parsePayload<T>(schema: z.ZodType<T>, eventName: string, payload: unknown): T {
  const parsed = schema.safeParse(payload)
  if (parsed.success) return parsed.data
  throw new MemoryMarkError(
    {
      code: 'event-unreadable',
      message: `The payload of the event "${eventName}" is not as GitHub documents it`,
      fix: 'Check GITHUB_EVENT_PATH and GITHUB_SHA; on GitHub itself, report this with the log of the run.',
    },
    { cause: parsed.error },
  )
}

/** In words, for the log. */
export function describeSubject(subject: Subject): string {
  switch (subject.kind) {
    case 'pull-request':
      return `pull request #${subject.number} at ${short(subject.headSha)}`
    case 'commits':
      return `commits ${short(subject.baseSha)}..${short(subject.headSha)}`
    case 'tree':
      return `every file at ${short(subject.headSha)}`
    case 'deleted-branch':
      return 'a deleted branch, which has no files'
  }
}

function short(sha: string): string {
  return sha.slice(0, 7)
}
