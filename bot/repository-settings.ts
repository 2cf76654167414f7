/** The team's settings, read from its repository as data. */
import { inlinePath, noSettings, type RepositorySettings, renderProblem, SETTINGS_PATH } from '../engine/index.ts'
import { readFileAt } from '../github/single-file.ts'
import type { Defaults, Work } from './github.ts'
import { keepSettings, lastSettings } from './store/last-settings.ts'

export interface TeamSettings {
  readonly settings: RepositorySettings
  /** Paragraphs of Markdown for the reader. */
  readonly remarks: readonly string[]
}

/** Further problems are left to the settings file's own check. */
const MAX_PROBLEMS = 10

/** Always reads the default branch, so that a pull request cannot relax its own policy. */
export async function readTeamSettings(work: Work): Promise<TeamSettings> {
  const { settings, remarks } = await readOwn(work)
  return { settings: withDefaults(settings, work.defaults), remarks }
}

/** Fills what the team's settings leave open with the operator's defaults. */
function withDefaults(team: RepositorySettings, { gpu, failOn, playground }: Defaults): RepositorySettings {
  return {
    ...team,
    gpu: team.gpu ?? gpu?.id,
    failOn: team.failOn ?? failOn,
    playground: team.playground ?? playground,
  }
}

async function readOwn(work: Work): Promise<TeamSettings> {
  const found = await readFileAt(work.github, work.repository, undefined, SETTINGS_PATH)
  if (found.kind === 'too-large') return earlier(work, ['The file is larger than 16 MiB.'])
  const file = found.kind === 'text' ? { path: SETTINGS_PATH, text: found.text } : undefined
  const reading = await work.engine.readSettings(file)
  switch (reading.kind) {
    case 'settings':
      await keepSettings(work.database, work.place, file?.text ?? '')
      return withCalibration(reading.settings, work)
    case 'none':
      // Forgets the last valid settings once the file is deleted, so that they are not restored later.
      await keepSettings(work.database, work.place, '')
      return { settings: noSettings, remarks: [] }
    case 'unreadable':
      return earlier(
        work,
        reading.problems.slice(0, MAX_PROBLEMS).map(problem => renderProblem('', problem)),
      )
  }
}

/** Adds the runs measured by the team, from the file on the default branch. */
async function withCalibration(settings: RepositorySettings, work: Work): Promise<TeamSettings> {
  const { calibrationPath: path } = settings
  if (path === undefined) return { settings, remarks: [] }
  const found = await readFileAt(work.github, work.repository, undefined, path)
  if (found.kind === 'no-file') {
    return { settings, remarks: [`${inlinePath(path)} is not there, so nothing is calibrated.`] }
  }
  const text = found.kind === 'text' ? found.text : ''
  const reading = await work.engine.readCalibration({ path, text })
  return reading.kind === 'calibration'
    ? { settings: { ...settings, calibration: reading.calibration }, remarks: [] }
    : { settings, remarks: ['Nothing is calibrated.', ...reading.problems.map(problem => renderProblem('', problem))] }
}

/** The last settings that could be read, or the built-in ones if there were none. */
async function earlier({ database, place, engine }: Work, reasons: readonly string[]): Promise<TeamSettings> {
  const text = await lastSettings(database, place)
  const reading = await engine.readSettings(text === undefined ? undefined : { path: SETTINGS_PATH, text })
  const isKept = reading.kind === 'settings'
  const which = isKept ? 'the last valid ones apply' : 'the built-in ones apply'
  return {
    settings: isKept ? reading.settings : noSettings,
    remarks: [`The settings on the default branch cannot be read, so ${which}.`, ...reasons],
  }
}
