/** Who may ask for what. */

import type { Work } from '../github.ts'
import { statusOf } from '../installation.ts'
import type { CommandName } from './command.ts'

export type Access = 'anyone' | 'write'

/** Telling costs nothing; what changes a verdict, runs on the GPU or writes to the repository takes write access. */
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

/** Asked of GitHub each time: what a webhook says of its author is not what they may do. */
export async function mayWrite({ github, repository }: Work, login: string): Promise<boolean> {
  const answer = await github.rest.repos
    .getCollaboratorPermissionLevel({ ...repository, username: login })
    .catch((error: unknown) => {
      // Somebody whom GitHub does not know, or no longer.
      if (statusOf(error) === 404) return undefined
      throw error
    })
  const permission = answer?.data.permission
  return permission === 'admin' || permission === 'write'
}
