/** The team's settings, read through the API as data. */
import {
  MemoryMarkError,
  noSettings,
  type Problem,
  type RepositorySettings,
  readSettings,
  SETTINGS_PATH,
  type SettingsReading,
} from '../engine/index.ts'
import { fetchFiles } from './contents.ts'
import type { Subject } from './event.ts'
import type { GitHub } from './github.ts'
import type { Repository } from './repository.ts'

export interface TeamSettings {
  readonly settings: RepositorySettings
  /** What the reader must know about them, one sentence each. */
  readonly remarks: readonly string[]
}

/** Always those of the default branch: a pull request must not lower the bar that it is held to. */
export async function readTeamSettings(github: GitHub, repository: Repository): Promise<TeamSettings> {
  const reading = await readAt(github, repository, undefined)
  switch (reading.kind) {
    case 'settings':
      return { settings: reading.settings, remarks: [] }
    case 'none':
      return { settings: noSettings, remarks: [] }
    case 'unreadable':
      return {
        settings: noSettings,
        remarks: [
          `${SETTINGS_PATH} on the default branch cannot be read, so the built-in settings apply.`,
          ...reading.problems.map(written),
        ],
      }
  }
}

/** What is wrong with the settings as a pull request leaves them, so that they are not merged broken. */
export async function remarksOnProposal(
  github: GitHub,
  repository: Repository,
  subject: Subject,
  changed: readonly string[],
): Promise<readonly string[]> {
  if (subject.kind !== 'pull-request' || !changed.includes(SETTINGS_PATH)) return []
  const reading = await readAt(github, repository, subject.headSha)
  if (reading.kind !== 'unreadable') return []
  return [`${SETTINGS_PATH} as changed by this pull request cannot be read.`, ...reading.problems.map(written)]
}

/** Without a `ref` at the default branch. */
async function readAt(github: GitHub, repository: Repository, ref: string | undefined): Promise<SettingsReading> {
  const { files } = await fetchFiles(github, repository, ref, [SETTINGS_PATH])
  return readSettings(files[0])
}

function written(problem: Problem): string {
  return new MemoryMarkError(problem).message
}
