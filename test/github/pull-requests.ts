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

export class PullRequests {
  readonly #rest: Rest
  /** By `base...head`; what lies between two commits never changes. */
  readonly #changes = new Map<string, Promise<readonly ChangedFileJson[]>>()

  constructor(rest: Rest) {
    this.#rest = rest
  }

  /** The pull request as GitHub would show it now. */
  async refreshed(stored: PullRequestJson): Promise<PullRequestJson> {
    const { object } = await this.#get<{ object: { sha: string } }>(
      stored.head.repo.full_name,
      `git/ref/heads/${stored.head.ref}`,
    )
    const live = { ...stored, head: { ...stored.head, sha: object.sha } }
    return { ...live, changed_files: (await this.changedFiles(live)).length }
  }

  /** All files between the merge base and the head, sorted by path, uncapped. */
  changedFiles({ base, head }: PullRequestJson): Promise<readonly ChangedFileJson[]> {
    const range = `${base.sha}...${head.sha}`
    const known = this.#changes.get(range) ?? this.#compare(base.repo.full_name, range, head.sha)
    this.#changes.set(range, known)
    return known
  }

  async #compare(repository: string, range: string, headSha: string): Promise<readonly ChangedFileJson[]> {
    const { merge_base_commit: mergeBase } = await this.#get<{ merge_base_commit: { sha: string } }>(
      repository,
      `compare/${range}`,
    )
    return difference(await this.#blobs(repository, mergeBase.sha), await this.#blobs(repository, headSha))
  }

  async #blobs(repository: string, sha: string): Promise<ReadonlyMap<string, string>> {
    const { tree } = await this.#get<{ tree: { path: string; sha: string; type: string }[] }>(
      repository,
      `git/trees/${sha}?recursive=1`,
    )
    return new Map(tree.filter(({ type }) => type === 'blob').map(entry => [entry.path, entry.sha]))
  }

  #get<T>(repository: string, path: string): Promise<T> {
    return this.#rest.json<T>('GET', `/repos/${repository}/${path}`, owner.token)
  }
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
