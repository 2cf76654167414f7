/** What emulate's pull requests lack: a head that follows its branch, and the files they change. */
import { owner } from './accounts.ts'
import type { Rest } from './rest.ts'

export interface PullRequestJson {
  readonly number: number
  readonly state: string
  readonly draft: boolean
  readonly html_url: string
  readonly head: { readonly sha: string; readonly ref: string; readonly repo: { readonly full_name: string } }
  readonly base: { readonly sha: string; readonly ref: string; readonly repo: { readonly full_name: string } }
  readonly changed_files: number
}

export interface ChangedFileJson {
  readonly sha: string
  readonly filename: string
  readonly status: 'added' | 'removed' | 'modified' | 'renamed'
  readonly previous_filename?: string
}

/** GitHub lists no more, however many there are. */
export const MAX_LISTED_FILES = 3_000

/** The pull request as GitHub would show it now. */
export async function refreshed(rest: Rest, stored: PullRequestJson): Promise<PullRequestJson> {
  const headRef = `/repos/${stored.head.repo.full_name}/git/ref/heads/${stored.head.ref}`
  const { object } = await rest.json<{ object: { sha: string } }>('GET', headRef, owner.token)
  const head = { ...stored.head, sha: object.sha }
  const live = { ...stored, head }
  return { ...live, changed_files: (await changedFiles(rest, live)).length }
}

/** All files between the merge base and the head, sorted by path, uncapped. */
export async function changedFiles(rest: Rest, pullRequest: PullRequestJson): Promise<readonly ChangedFileJson[]> {
  const repository = `/repos/${pullRequest.base.repo.full_name}`
  const range = `${pullRequest.base.sha}...${pullRequest.head.sha}`
  const comparison = await rest.json<{ merge_base_commit: { sha: string } }>(
    'GET',
    `${repository}/compare/${range}`,
    owner.token,
  )
  const [before, after] = await Promise.all(
    [comparison.merge_base_commit.sha, pullRequest.head.sha].map(sha => blobs(rest, repository, sha)),
  )
  return difference(before ?? new Map(), after ?? new Map())
}

async function blobs(rest: Rest, repository: string, sha: string): Promise<ReadonlyMap<string, string>> {
  const { tree } = await rest.json<{ tree: { path: string; sha: string; type: string }[] }>(
    'GET',
    `${repository}/git/trees/${sha}?recursive=1`,
    owner.token,
  )
  return new Map(tree.filter(({ type }) => type === 'blob').map(({ path, sha }) => [path, sha]))
}

function difference(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): ChangedFileJson[] {
  const gone = new Map([...before].filter(([path]) => !after.has(path)))
  const changed: ChangedFileJson[] = []
  for (const [filename, sha] of after) {
    if (before.get(filename) === sha) continue
    const source = before.has(filename) ? undefined : [...gone].find(([, goneSha]) => goneSha === sha)?.[0]
    if (source === undefined) changed.push({ sha, filename, status: before.has(filename) ? 'modified' : 'added' })
    else {
      gone.delete(source)
      changed.push({ sha, filename, status: 'renamed', previous_filename: source })
    }
  }
  for (const [filename, sha] of gone) changed.push({ sha, filename, status: 'removed' })
  return changed.sort((a, b) => (a.filename < b.filename ? -1 : 1))
}
