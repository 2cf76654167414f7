/** A pull request as those who work on it see it. */
import type { FileChanges } from './git.ts'

export interface NewPullRequest {
  readonly files: FileChanges
  /** The base branch; `main` unless told. */
  readonly base?: string
  /** From mona's fork instead of a branch of the repository. */
  readonly fork?: boolean
  readonly draft?: boolean
  readonly title?: string
}

export class PullRequest {
  readonly number: number
  readonly branch: string
  readonly fromFork: boolean
  /** SHA of the newest push. */
  headSha: string
  /** SHAs of those before it. */
  readonly formerShas: string[] = []
  constructor(number: number, branch: string, fromFork: boolean, headSha: string) {
    this.number = number
    this.branch = branch
    this.fromFork = fromFork
    this.headSha = headSha
  }

  moveTo(sha: string): void {
    this.formerShas.push(this.headSha)
    this.headSha = sha
  }
}
