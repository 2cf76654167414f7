/**
 * Commits, written to a repository and to all its forks alike: GitHub keeps one object store per network, which is why
 * the head of a fork's pull request can be read through the base repository. emulate keeps one per repository.
 */
import { owner } from './accounts.ts'
import type { Rest } from './rest.ts'

/** Text by path; null deletes. */
export type FileChanges = Readonly<Record<string, string | null>>
export type Tree = Readonly<Record<string, string>>

interface Member {
  readonly fullName: string
  readonly token: string
}

interface Commit {
  readonly sha: string
  readonly parent: string | undefined
  readonly tree: Tree
}

export class GitNetwork {
  readonly #rest: Rest
  readonly #members: Member[]
  readonly #commits: Commit[] = []

  constructor(rest: Rest, root: Member) {
    this.#rest = rest
    this.#members = [root]
  }

  /** Adds a fork and copies what was committed so far. */
  async join(member: Member): Promise<void> {
    for (const [index, commit] of this.#commits.entries()) {
      await this.#write(member, commit.tree, commit.parent, index)
    }
    this.#members.push(member)
  }

  /** The new commit's SHA, the same in every member. */
  async commit(changes: FileChanges, parent?: string): Promise<string> {
    const tree = applyChanges(this.#treeOf(parent), changes)
    const shas = await Promise.all(this.#members.map(member => this.#write(member, tree, parent, this.#commits.length)))
    const sha = shas[0] ?? ''
    this.#commits.push({ sha, parent, tree })
    return sha
  }

  #treeOf(sha: string | undefined): Tree {
    return this.#commits.find(commit => commit.sha === sha)?.tree ?? {}
  }

  async #write(member: Member, tree: Tree, parent: string | undefined, index: number): Promise<string> {
    const { sha: treeSha } = await this.#post<{ sha: string }>(member, 'trees', {
      tree: Object.entries(tree).map(([path, content]) => ({ path, content, mode: '100644', type: 'blob' })),
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
      parents: parent === undefined ? [] : [parent],
      author,
      committer: author,
    })
    return sha
  }

  #post<T>(member: Member, kind: 'trees' | 'commits', body: unknown): Promise<T> {
    return this.#rest.json<T>('POST', `/repos/${member.fullName}/git/${kind}`, member.token, body)
  }
}

function applyChanges(tree: Tree, changes: FileChanges): Tree {
  const next: Record<string, string> = { ...tree }
  for (const [path, text] of Object.entries(changes)) {
    if (text === null) delete next[path]
    else next[path] = text
  }
  return next
}
