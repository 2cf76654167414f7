/** The team's settings, read through the API as data. */
import {
  MemoryMarkError,
  noSettings,
  type Problem,
  type RepositorySettings,
  SETTINGS_PATH,
  type SettingsReading,
} from '../engine/index.ts'
import { fetchFiles } from './contents.ts'
import type { Job } from './job.ts'

export interface TeamSettings {
  readonly settings: RepositorySettings
  /** What the reader must know about them, one sentence each. */
  readonly remarks: readonly string[]
}

type Reading = Pick<Job, 'github' | 'run' | 'engine'>

/** Always those of the default branch: a pull request must not lower the bar that it is held to. */
export async function readTeamSettings(job: Reading): Promise<TeamSettings> {
  const reading = await readAt(job, undefined)
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
  job: Reading & Pick<Job, 'subject'>,
  changed: readonly string[],
): Promise<readonly string[]> {
  const { subject } = job
  if (subject.kind !== 'pull-request' || !changed.includes(SETTINGS_PATH)) return []
  const reading = await readAt(job, subject.headSha)
  if (reading.kind !== 'unreadable') return []
  return [`${SETTINGS_PATH} as changed by this pull request cannot be read.`, ...reading.problems.map(written)]
}

/** Without a `ref` at the default branch. */
async function readAt({ github, run, engine }: Reading, ref: string | undefined): Promise<SettingsReading> {
  const { files } = await fetchFiles(github, run.repository, ref, [SETTINGS_PATH])
  return engine.readSettings(files[0])
}

function written(problem: Problem): string {
  return new MemoryMarkError(problem).message
}
