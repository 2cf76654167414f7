/** A command as it is carried out: where, by whom, when. */
import type { PullRequest, Work } from '../github.ts'

export interface Asked {
  readonly work: Work
  readonly pull: PullRequest
  /** Login. */
  readonly by: string
  readonly commentId: number
  /** When the comment was written, so that a job that runs again comes to the same. */
  readonly at: Date
}
