/** All files at two commits, and what differs between them: what is left where GitHub lists no further. */
import type { Work } from './github.ts'

export interface TreeFile {
  readonly path: string
  readonly blobSha: string
}

export interface TreeDifference {
  /** New or different in the head. */
  readonly files: readonly TreeFile[]
  /** GitHub cut a tree short, so there may be more. */
  readonly isCut: boolean
}

export async function compareTrees(work: Work, baseSha: string, headSha: string): Promise<TreeDifference> {
  const [base, head] = await Promise.all([readTree(work, baseSha), readTree(work, headSha)])
  const files = [...head.blobs].filter(([path, blobSha]) => base.blobs.get(path) !== blobSha)
  return { files: files.map(([path, blobSha]) => ({ path, blobSha })), isCut: base.isCut || head.isCut }
}

export interface Tree {
  /** Blob SHA by path. */
  readonly blobs: ReadonlyMap<string, string>
  readonly isCut: boolean
}

export async function readTree({ github, repository }: Work, commitSha: string): Promise<Tree> {
  const { data } = await github.rest.git.getTree({ ...repository, tree_sha: commitSha, recursive: 'true' })
  const blobs = data.tree.filter(({ type }) => type === 'blob').map(({ path, sha }) => [path, sha] as const)
  return { blobs: new Map(blobs), isCut: data.truncated }
}

/** Where the head left the base's branch; a pull request changes what differs from there. */
export async function mergeBase({ github, repository }: Work, baseSha: string, headSha: string): Promise<string> {
  const { data } = await github.rest.repos.compareCommitsWithBasehead({
    ...repository,
    basehead: `${baseSha}...${headSha}`,
    per_page: 1,
  })
  return data.merge_base_commit.sha
}
