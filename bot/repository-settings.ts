/** The team's settings, read from its repository as data. */
import { inlinePath, noSettings, type RepositorySettings, renderProblem, SETTINGS_PATH } from '../engine/index.ts'
import { readFileAt } from '../github/single-file.ts'
import type { Defaults, Work } from './github.ts'
import { keepSettings, lastSettings } from './store/last-settings.ts'

export interface TeamSettings {
  readonly settings: RepositorySettings
  /** What the reader must know about them, as Markdown. */
  readonly remarks: readonly string[]
}

/** A file of settings has no need for more; the check shows what is worth reading. */
const MAX_PROBLEMS = 10

/** Always those of the default branch: a pull request must not lower the bar that it is held to. */
export async function readTeamSettings(work: Work): Promise<TeamSettings> {
  const { settings, remarks } = await readOwn(work)
  return { settings: withDefaults(settings, work.defaults), remarks }
}

/** What a team leaves open is the operator's to say. */
function withDefaults(team: RepositorySettings, { gpu, failOn }: Defaults): RepositorySettings {
  return { ...team, gpu: team.gpu ?? gpu?.id, failOn: team.failOn ?? failOn }
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
      // Settings that were taken away do not come back when new ones are broken.
      await keepSettings(work.database, work.place, '')
      return { settings: noSettings, remarks: [] }
    case 'unreadable':
      return earlier(
        work,
        reading.problems.slice(0, MAX_PROBLEMS).map(problem => renderProblem('', problem)),
      )
  }
}

/** With what the team's runs measured, as the default branch has it. */
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

/** The last that could be read, or the built-in ones where none ever could. */
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
