/** The addresses of these pages. */
import type { RepositoryName } from '../../repositories.ts'

export const REPOSITORIES_PATH = '/repositories'

export function repositoryPath({ owner, repo }: RepositoryName): string {
  return `${REPOSITORIES_PATH}/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`
}

export function historyPath(name: RepositoryName, path: string): string {
  return `${repositoryPath(name)}/history?path=${encodeURIComponent(path)}`
}
