/** All files at a commit, and what differs between two commits. */
import type { GitHub } from './github.ts'
import type { Repository } from './repository.ts'

export interface Tree {
  /** Blob SHA by path. */
  readonly blobs: ReadonlyMap<string, string>
  readonly remarks: readonly string[]
}

export async function readTree(github: GitHub, repository: Repository, commitSha: string): Promise<Tree> {
  const { data } = await github.rest.git.getTree({ ...repository, tree_sha: commitSha, recursive: 'true' })
  const blobs = new Map<string, string>()
  for (const entry of data.tree) if (entry.type === 'blob') blobs.set(entry.path, entry.sha)
  return { blobs, remarks: data.truncated ? [truncated(commitSha, blobs.size)] : [] }
}

/** Paths that are new or different in `head`. */
export function differingPaths(base: Tree, head: Tree): string[] {
  return [...head.blobs].filter(([path, sha]) => base.blobs.get(path) !== sha).map(([path]) => path)
}

/** Former paths of files that were renamed and not otherwise touched, by their new ones: what the trees alone can tell. */
export function renamedPaths(base: Tree, head: Tree): ReadonlyMap<string, string> {
  const gone = new Map([...base.blobs].filter(([path]) => !head.blobs.has(path)).map(([path, sha]) => [sha, path]))
  const renamed = [...head.blobs].flatMap(([path, sha]) => {
    const former = base.blobs.has(path) ? undefined : gone.get(sha)
    return former === undefined ? [] : [[path, former] as const]
  })
  return new Map(renamed)
}

function truncated(commitSha: string, listed: number): string {
  return `GitHub lists only the first ${listed} files of commit ${commitSha.slice(0, 7)}; configs beyond them are not checked.`
}
