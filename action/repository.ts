/** A repository, as GitHub's API is asked about it. */
export interface Repository {
  readonly owner: string
  readonly repo: string
}
