/** The team's settings, read from its repository as data. */
import { noSettings, type RepositorySettings, readSettings, renderProblem, SETTINGS_PATH } from '../engine/index.ts'
import { readFile } from './file.ts'
import type { Work } from './github.ts'

export interface TeamSettings {
  readonly settings: RepositorySettings
  /** What the reader must know about them, as Markdown. */
  readonly remarks: readonly string[]
}

/** A file of settings has no need for more; the check shows what is worth reading. */
const MAX_PROBLEMS = 10

/** Always those of the default branch: a pull request must not lower the bar that it is held to. */
export async function readTeamSettings(work: Work): Promise<TeamSettings> {
  const found = await readFile(work, undefined, SETTINGS_PATH)
  if (found.kind === 'too-large') return builtIn('The file is larger than 1 MiB.')
  const reading = readSettings(found.kind === 'file' ? found.file : undefined)
  switch (reading.kind) {
    case 'settings':
      return { settings: reading.settings, remarks: [] }
    case 'none':
      return { settings: noSettings, remarks: [] }
    case 'unreadable':
      return builtIn(...reading.problems.slice(0, MAX_PROBLEMS).map(problem => renderProblem('', problem)))
  }
}

function builtIn(...reasons: string[]): TeamSettings {
  return {
    settings: noSettings,
    remarks: ['The settings on the default branch cannot be read, so the built-in ones hold.', ...reasons],
  }
}
