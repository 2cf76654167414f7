/** The context of a command: pull request, person, time. */
import type { PullRequest, Work } from '../github.ts'

export interface Asked {
  readonly work: Work
  readonly pull: PullRequest
  /** Login. */
  readonly by: string
  readonly commentId: number
  /** When the comment was written, so that a repeated job has the same result. */
  readonly at: Date
}
