/** Who exists in the emulated world, and the two Apps that act in it. */

export interface Account {
  readonly login: string
  readonly token: string
}

/** Owns the repositories. */
export const owner: Account = { login: 'acme', token: 'token-of-acme' }
/** Opens pull requests from a fork. */
export const contributor: Account = { login: 'mona', token: 'token-of-mona' }

export interface InstalledApp {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly installationId: number
  readonly permissions: Readonly<Record<string, 'read' | 'write'>>
}

/** The bot; the permissions that bot/app.yml asks for, and no others. */
export const memoryMarkApp: InstalledApp = {
  id: 4242,
  slug: 'memorymark',
  name: 'MemoryMark',
  installationId: 100,
  permissions: { actions: 'read', checks: 'write', contents: 'read', metadata: 'read', pull_requests: 'write' },
}

/** GitHub Actions is an App too; a workflow's GITHUB_TOKEN is an installation token of it. */
export const actionsApp: InstalledApp = {
  id: 15368,
  slug: 'github-actions',
  name: 'GitHub Actions',
  installationId: 200,
  permissions: {
    actions: 'read',
    checks: 'write',
    contents: 'read',
    issues: 'write',
    metadata: 'read',
    pull_requests: 'write',
  },
}

export const apps: readonly InstalledApp[] = [memoryMarkApp, actionsApp]

export const seed = {
  tokens: Object.fromEntries(
    [owner, contributor].map(({ login, token }) => [token, { login, scopes: ['repo', 'user'] }]),
  ),
  github: {
    users: [{ login: owner.login }, { login: contributor.login }],
    // No webhook_url: emulate repeats delivery ids and cannot redeliver, so webhooks.ts sends them.
    apps: apps.map(app => ({
      app_id: app.id,
      slug: app.slug,
      name: app.name,
      permissions: app.permissions,
      installations: [{ installation_id: app.installationId, account: owner.login }],
    })),
  },
}
