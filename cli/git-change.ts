/** What a change holds, by git: the working tree against the commit at which it left a branch. Paths are relative to the working directory. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { MemoryMarkError } from '../engine/errors.ts'
import { MIB } from '../engine/units.ts'

const run = promisify(execFile)

/** Of one answer: a lock file, or the names of all files. */
const MAX_ANSWER_BYTES = 64 * MIB

export interface GitChange {
  /** Files that are new or different, untracked ones included. */
  readonly paths: readonly string[]
  /** Paths at which there is no file any more. */
  readonly removed: readonly string[]
  /** Paths of all files. */
  readonly list: () => Promise<readonly string[]>
  /** What a file held before the change, under another name too; undefined where there was none. */
  readonly before: (path: string) => Promise<string | undefined>
}

/** `base`: a branch, a tag or a commit. @throws MemoryMarkError where git knows none of that name, or this is no repository. */
export async function changeSince(base: string): Promise<GitChange> {
  const commit = await commonCommit(await commitOf(base))
  const { paths, removed, formerPaths } = changesIn(
    await git('diff', '--find-renames', '--no-ext-diff', '--relative', '--name-status', '-z', commit, '--'),
  )
  const untracked = listed(await git('ls-files', '--others', '--exclude-standard', '-z'))
  return {
    paths: [...new Set([...paths, ...untracked])],
    removed: removed.filter(path => !untracked.includes(path)),
    list: async () => [...new Set([...listed(await git('ls-files', '-z')), ...untracked])],
    before: path => git('cat-file', 'blob', `${commit}:./${formerPaths.get(path) ?? path}`).catch(() => undefined),
  }
}

async function commitOf(base: string): Promise<string> {
  try {
    return (await git('rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`)).trim()
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw new MemoryMarkError(
      {
        code: 'unknown-commit',
        field: '--base',
        message: isMissing ? 'git is not installed here' : `"${base}" is no commit of the repository here`,
        fix: isMissing ? 'Install git, or omit --base.' : 'Fetch it first, or name another, such as origin/main.',
      },
      { cause: error },
    )
  }
}

/**
 * The newest commit that the working tree shares with `commit`, so that what its branch has gained since is no part of the change;
 * in a shallow clone, which may not hold it, `commit` itself.
 */
async function commonCommit(commit: string): Promise<string> {
  const common = await git('merge-base', commit, 'HEAD').catch(() => commit)
  return common.trim()
}

/** Of `--name-status -z`: a letter, and a path; of what was renamed or copied, the former path before it. */
function changesIn(told: string) {
  const fields = listed(told).values()
  const paths: string[] = []
  const removed: string[] = []
  const formerPaths = new Map<string, string>()
  for (const status of fields) {
    const { value: path } = fields.next()
    if (path === undefined) break
    if (/^[RC]/.test(status)) {
      const { value: renamed = path } = fields.next()
      paths.push(renamed)
      formerPaths.set(renamed, path)
      if (status.startsWith('R')) removed.push(path)
    } else (status === 'D' ? removed : paths).push(path)
  }
  return { paths, removed, formerPaths }
}

async function git(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', args, { maxBuffer: MAX_ANSWER_BYTES })
  return stdout
}

function listed(answer: string): readonly string[] {
  return answer.split('\0').filter(text => text !== '')
}
