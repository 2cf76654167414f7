/**
 * Commits, written to a repository and to all its forks alike: GitHub keeps one object store per network, which is why
 * the head of a fork's pull request can be read through the base repository. emulate keeps one per repository.
 */
import { owner } from './accounts.ts'
import type { Rest } from './rest.ts'

/** Its text, or what is not just that. */
export type FileEntry =
  | string
  | { readonly kind: 'executable' | 'link'; readonly text: string }
  | { readonly kind: 'submodule'; readonly sha: string }
/** By path; null deletes. */
export type FileChanges = Readonly<Record<string, FileEntry | null>>
export type Tree = Readonly<Record<string, FileEntry>>

interface Member {
  readonly fullName: string
  readonly token: string
}

interface Commit {
  readonly sha: string
  /** What its date and message are made of. */
  readonly index: number
  readonly parents: readonly string[]
  readonly tree: Tree
}

export class GitNetwork {
  readonly #rest: Rest
  readonly #root: Member
  readonly #members: Member[]
  readonly #commits: Commit[] = []
  #begun = 0

  constructor(rest: Rest, root: Member) {
    this.#rest = rest
    this.#root = root
    this.#members = [root]
  }

  /** Adds a fork and copies what was committed so far. */
  async join(member: Member): Promise<void> {
    for (const { tree, parents, index } of this.#commits) await this.#write(member, tree, parents, index)
    this.#members.push(member)
  }

  /** The new commit's SHA, the same in every member. */
  async commit(changes: FileChanges, parent?: string): Promise<string> {
    return this.#commit(applied(await this.#treeOf(parent), changes), parent === undefined ? [] : [parent])
  }

  /** What `head` changed since the two parted, on top of `base`. Conflicts are no part of this world: `head` wins. */
  async merge(base: string, head: string): Promise<string> {
    const path = `/repos/${this.#root.fullName}/compare/${base}...${head}`
    const compared = await this.#rest.json<{ merge_base_commit: { sha: string } }>('GET', path, this.#root.token)
    const before = await this.#treeOf(compared.merge_base_commit.sha)
    const after = await this.#treeOf(head)
    const paths = [...Object.keys(before), ...Object.keys(after)]
    const changed = paths.filter(one => before[one] !== after[one]).map(one => [one, after[one] ?? null] as const)
    return this.#commit(applied(await this.#treeOf(base), Object.fromEntries(changed)), [base, head])
  }

  async #commit(tree: Tree, parents: readonly string[]): Promise<string> {
    const index = this.#begun++
    const shas = await Promise.all(this.#members.map(member => this.#write(member, tree, parents, index)))
    const sha = shas[0] ?? ''
    this.#commits.push({ sha, index, parents, tree })
    return sha
  }

  /** Of a commit that an App made through the API too. */
  async #treeOf(sha: string | undefined): Promise<Tree> {
    if (sha === undefined) return {}
    return this.#commits.find(commit => commit.sha === sha)?.tree ?? this.#readTree(sha)
  }

  async #readTree(sha: string): Promise<Tree> {
    const { tree } = await this.#get<{ tree: { path: string; sha: string; type: string }[] }>(
      `trees/${sha}?recursive=1`,
    )
    const files = tree.filter(({ type }) => type === 'blob')
    const texts = await Promise.all(
      files.map(async file => {
        const { content } = await this.#get<{ content: string }>(`blobs/${file.sha}`)
        return [file.path, Buffer.from(content, 'base64').toString()] as const
      }),
    )
    return Object.fromEntries(texts)
  }

  async #write(member: Member, tree: Tree, parents: readonly string[], index: number): Promise<string> {
    const { sha: treeSha } = await this.#post<{ sha: string }>(member, 'trees', {
      tree: Object.entries(tree).map(([path, entry]) => ({ path, ...asWritten(entry) })),
    })
    // A fixed author and clock, so that every member gives the commit the same SHA.
    const author = {
      name: owner.login,
      email: `${owner.login}@example.com`,
      date: new Date(index * 1000).toISOString(),
    }
    const { sha } = await this.#post<{ sha: string }>(member, 'commits', {
      message: `Commit ${index + 1}`,
      tree: treeSha,
      parents,
      author,
      committer: author,
    })
    return sha
  }

  #get<T>(path: string): Promise<T> {
    return this.#rest.json<T>('GET', `/repos/${this.#root.fullName}/git/${path}`, this.#root.token)
  }

  #post<T>(member: Member, kind: 'trees' | 'commits', body: unknown): Promise<T> {
    return this.#rest.json<T>('POST', `/repos/${member.fullName}/git/${kind}`, member.token, body)
  }
}

function asWritten(entry: FileEntry) {
  if (typeof entry === 'string') return { content: entry, mode: '100644', type: 'blob' }
  if (entry.kind === 'submodule') return { sha: entry.sha, mode: '160000', type: 'commit' }
  return { content: entry.text, mode: entry.kind === 'link' ? '120000' : '100755', type: 'blob' }
}

function applied(tree: Tree, changes: FileChanges): Tree {
  const next: Record<string, FileEntry> = { ...tree }
  for (const [path, text] of Object.entries(changes)) {
    if (text === null) delete next[path]
    else next[path] = text
  }
  return next
}
