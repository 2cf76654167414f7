/** What a checkout changed since a commit, as git tells it: for `check --base`. Paths are below the working directory. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { RepositoryFiles } from '../affected-configs.ts'
import { MemoryMarkError } from '../errors.ts'
import { MIB } from '../units.ts'
import { readCapped } from './files.ts'

const run = promisify(execFile)

/** Far above the list of files of a large repository. */
const MAX_OUTPUT_BYTES = 64 * MIB

export interface ChangedSince extends RepositoryFiles {
  /** Files that are new or different. */
  readonly paths: readonly string[]
  /** What a file held at the commit; undefined where there was none. */
  readonly before: (path: string) => Promise<string | undefined>
}

/** `base`: a branch, a tag or a commit. @throws MemoryMarkError where git does not know it here. */
export async function changedSince(base: string): Promise<ChangedSince> {
  const commit = await commitOf(base)
  const { paths, formerPaths } = changesIn(await git('diff', '--relative', '-M', '--name-status', '-z', commit, '--'))
  const before = async (path: string) =>
    git('show', `${commit}:./${formerPaths.get(path) ?? path}`).catch(() => undefined)
  const texts = (asked: readonly string[], text: (path: string) => Promise<string | undefined>) =>
    Promise.all(asked.map(async path => ({ path, text: await text(path) }))).then(files =>
      files.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }])),
    )
  return {
    paths,
    before,
    list: async () => (await git('ls-files', '-z')).split('\0').slice(0, -1),
    read: asked => texts(asked, path => readCapped(path).catch(() => undefined)),
    readBefore: asked => texts(asked, before),
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

/** Of `--name-status -z`: a letter, and a path; of what was renamed or copied, the former path before it. */
function changesIn(told: string) {
  const fields = told.split('\0').values()
  const paths: string[] = []
  const formerPaths = new Map<string, string>()
  for (const status of fields) {
    const { value: path } = fields.next()
    if (path === undefined) break
    if (/^[RC]/.test(status)) {
      const { value: renamed = path } = fields.next()
      paths.push(renamed)
      formerPaths.set(renamed, path)
    } else if (status !== 'D') paths.push(path)
  }
  return { paths, formerPaths }
}

async function git(...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, { maxBuffer: MAX_OUTPUT_BYTES })
  return stdout
}
