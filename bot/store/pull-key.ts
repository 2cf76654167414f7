/** A pull request by what never changes. */
import type { RepositoryKey } from './last-settings.ts'

export interface PullKey extends RepositoryKey {
  readonly pullNumber: number
}
