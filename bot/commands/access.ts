/** The permission that each command needs. */

import type { Work } from '../github.ts'
import { statusOf } from '../installation.ts'
import type { CommandName } from './command.ts'

export type Access = 'anyone' | 'write'

/**
 * Commands that only inform need none; those that change a verdict, run on the GPU or write to the repository need
 * write access.
 */
export function accessNeeded(name: CommandName): Access {
  switch (name) {
    case 'help':
    case 'explain':
      return 'anyone'
    case 'rerun':
    case 'ok':
    case 'accept':
    case 'snooze':
    case 'fix':
      return 'write'
  }
}

/** Asked from GitHub each time, since a webhook does not tell its author's permissions. */
export async function mayWrite({ github, repository }: Work, login: string): Promise<boolean> {
  const answer = await github.rest.repos
    .getCollaboratorPermissionLevel({ ...repository, username: login })
    .catch((error: unknown) => {
      // The account does not exist.
      if (statusOf(error) === 404) return undefined
      throw error
    })
  const permission = answer?.data.permission
  return permission === 'admin' || permission === 'write'
}
