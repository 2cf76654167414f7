/**
 * Reads a change with git: the working tree compared with the commit at which it left a branch. Paths are relative to
 * the working directory.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { MemoryMarkError } from '../engine/base/errors.ts'
import { MIB } from '../engine/base/units.ts'

const run = promisify(execFile)

/** For one output of git, such as a lock file or the names of all files. */
const MAX_ANSWER_BYTES = 64 * MIB

export interface GitChange {
  /** New or different files, including untracked ones. */
  readonly paths: readonly string[]
  /** Paths of deleted files. */
  readonly removed: readonly string[]
  /** Paths of all files. */
  readonly list: () => Promise<readonly string[]>
  /** A file's text before the change, also under its former name; undefined if it did not exist. */
  readonly before: (path: string) => Promise<string | undefined>
}

/** `base`: a branch, tag or commit. @throws MemoryMarkError if git does not know it, or outside a repository. */
export async function changeSince(base: string): Promise<GitChange> {
  const commit = await commonCommit(await commitOf(base))
  const { paths, removed, formerPaths } = changesIn(
    await git('diff', '--find-renames', '--no-ext-diff', '--relative', '--name-status', '-z', commit, '--'),
  )
  const untracked = new Set(listed(await git('ls-files', '--others', '--exclude-standard', '-z')))
  return {
    paths: [...new Set([...paths, ...untracked])],
    removed: removed.filter(path => !untracked.has(path)),
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
 * The merge base of the working tree and `commit`, so that later commits on the branch do not count; `commit` itself in
 * a shallow clone without it.
 */
async function commonCommit(commit: string): Promise<string> {
  const common = await git('merge-base', commit, 'HEAD').catch(() => commit)
  return common.trim()
}

/** Parses `--name-status -z`: a letter and a path, after the former path for renames and copies. */
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
