/** A repository that something is kept of. */
export const place = { installationId: 100, repositoryId: 1, owner: 'acme', repo: 'models' }
