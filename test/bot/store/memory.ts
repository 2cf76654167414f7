/** A database of a test's own, in memory, with all its tables. */
import type { Database } from '../../../bot/store/database.ts'
import { openDatabase } from '../../../bot/store/open.ts'

export function openInMemory(): Promise<Database> {
  return openDatabase({ kind: 'memory' }, error => {
    throw error
  })
}

export const place = { installationId: 100, repositoryId: 1, owner: 'acme', repo: 'models' }
