/** The team's settings, read through the API as data. */
import {
  MemoryMarkError,
  noSettings,
  type Problem,
  type RepositorySettings,
  SETTINGS_PATH,
  type SourceFile,
} from '../engine/index.ts'
import type { Change } from '../github/change.ts'
import { readFileAt } from '../github/single-file.ts'
import type { Job } from './job.ts'

export interface TeamSettings {
  readonly settings: RepositorySettings
  /** Sentences for the reader about the settings. */
  readonly remarks: readonly string[]
}

type Reading = Pick<Job, 'github' | 'run' | 'engine'>

/** Always reads the default branch, so that a pull request cannot relax its own policy. */
export async function readTeamSettings({ github, run, engine }: Reading): Promise<TeamSettings> {
  const found = await readFileAt(github, run.repository, undefined, SETTINGS_PATH)
  const reading = await engine.readSettings(settingsFile(found.kind === 'text' ? found.text : undefined))
  switch (reading.kind) {
    case 'settings':
      return withCalibration(reading.settings, { github, run, engine })
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

/** Adds the runs measured by the team, from the file on the default branch. */
async function withCalibration(settings: RepositorySettings, { github, run, engine }: Reading): Promise<TeamSettings> {
  const { calibrationPath: path } = settings
  if (path === undefined) return { settings, remarks: [] }
  const found = await readFileAt(github, run.repository, undefined, path)
  if (found.kind === 'no-file') return { settings, remarks: [`${path} is not there, so nothing is calibrated.`] }
  const text = found.kind === 'text' ? found.text : ''
  const reading = await engine.readCalibration({ path, text })
  return reading.kind === 'calibration'
    ? { settings: { ...settings, calibration: reading.calibration }, remarks: [] }
    : { settings, remarks: ['Nothing is calibrated.', ...reading.problems.map(written)] }
}

/** Problems of the settings as changed by a pull request, so that broken settings are not merged. */
export async function remarksOnProposal(
  { subject, engine }: Pick<Job, 'subject' | 'engine'>,
  change: Change,
): Promise<readonly string[]> {
  if (subject.kind !== 'pull-request' || !(await change.changed()).paths.includes(SETTINGS_PATH)) return []
  const reading = await engine.readSettings(settingsFile(await change.head.text(SETTINGS_PATH)))
  if (reading.kind !== 'unreadable') return []
  return [`${SETTINGS_PATH} as changed by this pull request cannot be read.`, ...reading.problems.map(written)]
}

function settingsFile(text: string | undefined): SourceFile | undefined {
  return text === undefined ? undefined : { path: SETTINGS_PATH, text }
}

function written(problem: Problem): string {
  return new MemoryMarkError(problem).message
}
