/** Lists all files at a commit, and the differences between two commits. */
import * as z from 'zod'
import type { GitHubClient, Repository } from './client.ts'

export interface TreeEntry {
  /** A link's text is its target; a submodule is a commit of another repository. */
  readonly kind: 'file' | 'link' | 'submodule'
  /** The SHA of the blob, or of the submodule's commit. */
  readonly sha: string
  /** Git's mode: 100755 is an executable file. */
  readonly mode: string
  readonly sizeBytes: number
}

export interface Tree {
  /** By path, without folders. */
  readonly entries: ReadonlyMap<string, TreeEntry>
  /** Whether GitHub truncated the list, at 100,000 entries or 7 MB. */
  readonly isCut: boolean
}

const LINK_MODE = '120000'

const treeAnswer = z.object({
  truncated: z.boolean().default(false),
  tree: z.array(
    z.object({
      path: z.string(),
      mode: z.string(),
      type: z.string(),
      sha: z.string(),
      size: z.number().int().min(0).optional(),
    }),
  ),
})

export async function readTree(client: GitHubClient, repository: Repository, commitSha: string): Promise<Tree> {
  const { data } = await client.request('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', {
    ...repository,
    tree_sha: commitSha,
    recursive: 'true',
  })
  const { tree, truncated } = treeAnswer.parse(data)
  const entries = new Map<string, TreeEntry>()
  for (const { path, mode, type, sha, size } of tree) {
    const kind = kindOf(type, mode)
    if (kind !== undefined) entries.set(path, { kind, sha, mode, sizeBytes: size ?? 0 })
  }
  return { entries, isCut: truncated }
}

/** Undefined for a folder. */
function kindOf(type: string, mode: string): TreeEntry['kind'] | undefined {
  if (type === 'commit') return 'submodule'
  if (type !== 'blob') return undefined
  return mode === LINK_MODE ? 'link' : 'file'
}

/**
 * Paths that are new or different in `head`, including those with only another mode, as GitHub lists them for a pull
 * request.
 */
export function differingPaths(base: Tree, head: Tree): string[] {
  const isSame = (one: TreeEntry, other: TreeEntry | undefined) => one.sha === other?.sha && one.mode === other.mode
  return [...head.entries].filter(([path, entry]) => !isSame(entry, base.entries.get(path))).map(([path]) => path)
}

/** Beyond the end of a truncated list there may be any file, so none is known to be removed. */
export function removedPaths(base: Tree, head: Tree): string[] {
  const end = head.isCut ? [...head.entries.keys()].at(-1) : undefined
  return [...base.entries.keys()].filter(
    path => !head.entries.has(path) && (!head.isCut || (end !== undefined && isBefore(path, end))),
  )
}

/** In the order in which git lists the files of a tree: by bytes. */
function isBefore(path: string, other: string): boolean {
  return Buffer.compare(Buffer.from(path), Buffer.from(other)) < 0
}

/** Former paths by new paths, for files renamed without changes: only these can be told from the trees. */
export function renamedPaths(base: Tree, head: Tree): ReadonlyMap<string, string> {
  const gone = new Map(removedPaths(base, head).map(path => [base.entries.get(path)?.sha, path]))
  const renamed = [...head.entries].flatMap(([path, { sha }]) => {
    const former = base.entries.has(path) ? undefined : gone.get(sha)
    return former === undefined ? [] : [[path, former] as const]
  })
  return new Map(renamed)
}
