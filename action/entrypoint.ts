/**
 * Permits running a repository's own training step: its code must be that of the protected branch, checked out by the
 * workflow. Code from a pull request is never run.
 */
import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'
import type { MemoryMarkError } from '../engine/base/errors.ts'
import type { Entrypoint } from '../engine/measure.ts'
import { type Subject, short } from './event.ts'
import { refusedInput } from './refused-input.ts'
import type { RunContext } from './run-context.ts'

const run = promisify(execFile)

const repositoryOf = z.object({ repository: z.object({ default_branch: z.string() }) })

/**
 * @param name `path.py:function`, relative to the workspace. @throws MemoryMarkError unless the code is known to be the
 * protected branch's.
 */
export async function trustedEntrypoint(context: RunContext, subject: Subject, name: string): Promise<Entrypoint> {
  const commitSha = guardedCommit(context, subject)
  const [file = '', callable = ''] = name.split(':')
  await requireCheckout(context.workspace, commitSha)
  return { name, target: `${await fileInside(context.workspace, file)}:${callable}`, commitSha }
}

/** The commit whose code may run: the base of a pull request, or the default branch's newest. */
function guardedCommit({ eventName, payload, sha, ref }: RunContext, subject: Subject): string {
  if (subject.kind === 'pull-request') {
    if (subject.isFork) throw refused('pull requests from forks may not use it')
    if (eventName !== 'workflow_dispatch') return subject.baseSha
  }
  if (eventName === 'schedule') return sha
  const parsed = repositoryOf.safeParse(payload)
  const isDefault = parsed.success && ref === `refs/heads/${parsed.data.repository.default_branch}`
  if (eventName === 'merge_group' || !isDefault) throw refused('the run is not on the default branch')
  return sha
}

/** Checks that the workspace is at that commit, without changes to tracked files. */
async function requireCheckout(workspace: string, commitSha: string): Promise<void> {
  const git = async (...args: string[]) => (await run('git', ['-C', workspace, ...args])).stdout.trim()
  const [head, changes] = await Promise.all([
    git('rev-parse', 'HEAD'),
    git('status', '--porcelain', '--untracked-files=no'),
  ]).catch((cause: unknown) => {
    throw refused(`the workspace has no checkout that git can read`, commitSha, cause)
  })
  if (head !== commitSha)
    throw refused(`the workspace has ${short(head)} checked out, not ${short(commitSha)}`, commitSha)
  if (changes !== '') throw refused(`files were changed after the checkout`, commitSha)
}

/** Resolves links, which may lead out of the checkout. */
async function fileInside(workspace: string, file: string): Promise<string> {
  const root = await realpath(workspace)
  const found = await realpath(path.resolve(root, file)).catch((cause: unknown) => {
    throw refused(`${file} is not in the checkout`, undefined, cause)
  })
  if (!found.startsWith(root + path.sep)) throw refused(`${file} is not in the checkout`)
  return found
}

function refused(why: string, commitSha?: string, cause?: unknown): MemoryMarkError {
  const fix =
    commitSha === undefined
      ? 'Only code from the base branch, checked out by the workflow, is run; remove entrypoint'
      : `Check out ${commitSha} before this step`
  return refusedInput('entrypoint', `It is not run: ${why}`, fix, cause)
}
