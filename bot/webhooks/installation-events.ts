/** Events of an account that installs or uninstalls the App, or changes its repositories. */
import * as z from 'zod'
import type { Job } from '../queue/jobs.ts'

const id = z.number().int().positive()
/** These events tell of repositories by little more than their names. */
const repository = z.object({ id, name: z.string(), full_name: z.string() })

const installation = z.object({
  action: z.string(),
  installation: z.object({ id }),
  repositories: z.array(repository).optional(),
})
const repositories = z.object({
  action: z.string(),
  installation: z.object({ id }),
  repositories_added: z.array(repository),
})

/** Further repositories of a large account wait for the next housekeeping. */
const MAX_REPOSITORIES = 200

export const installationReaders: Readonly<Record<string, (payload: unknown) => readonly Job[]>> = {
  installation: payload => {
    const { action, installation: at, repositories: all = [] } = installation.parse(payload)
    if (action === 'deleted') return [{ kind: 'departure', installationId: at.id }]
    return action === 'created' ? schedules(at.id, all) : []
  },
  installation_repositories: payload => {
    const { installation: at, repositories_added: added } = repositories.parse(payload)
    return schedules(at.id, added)
  },
}

function schedules(installationId: number, all: readonly z.infer<typeof repository>[]): Job[] {
  return all.slice(0, MAX_REPOSITORIES).map(({ id: repositoryId, name: repo, full_name: fullName }) => ({
    kind: 'schedule',
    installationId,
    repositoryId,
    owner: fullName.split('/')[0] ?? '',
    repo,
  }))
}
