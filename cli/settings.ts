/** Reads the settings of the repository in the working directory. */
import { MemoryMarkError } from '../engine/base/errors.ts'
import { SETTINGS_PATH } from '../engine/config/fields/supplied.ts'
import type { IsolatedEngine } from '../engine/isolated/engine.ts'
import type { SettingsReading } from '../engine/settings/read.ts'
import { noSettings, type RepositorySettings } from '../engine/settings/settings.ts'
import { readCapped } from './files.ts'

export const settingsOptions = {
  settings: { type: 'string' },
  'no-settings': { type: 'boolean' },
} as const

export interface SettingsFlags {
  readonly settings?: string | undefined
  readonly 'no-settings'?: boolean | undefined
}

/** The file that --settings names, or else .github/memorymark.yml of the working directory, where there is one. */
export async function findSettings(flags: SettingsFlags, engine: IsolatedEngine): Promise<SettingsReading> {
  if (flags.settings !== undefined && flags['no-settings']) {
    throw new MemoryMarkError({
      code: 'usage',
      field: '--no-settings',
      message: 'it contradicts --settings',
      fix: 'Use one of --settings and --no-settings.',
    })
  }
  if (flags['no-settings']) return { kind: 'none' }
  const path = flags.settings ?? SETTINGS_PATH
  const text = await readCapped(path).catch((error: unknown) => {
    if (flags.settings === undefined && isMissing(error)) return undefined
    throw error instanceof MemoryMarkError ? error : unreadable(path, error)
  })
  const reading = await engine.readSettings(text === undefined ? undefined : { path, text })
  return reading.kind === 'settings' ? withCalibration(reading, engine) : reading
}

/** Adds the team's runs, if the settings name their file. */
async function withCalibration(
  reading: Extract<SettingsReading, { kind: 'settings' }>,
  engine: IsolatedEngine,
): Promise<SettingsReading> {
  const { calibrationPath: path } = reading.settings
  if (path === undefined) return reading
  const text = await readCapped(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error instanceof MemoryMarkError ? error : unreadable(path, error)
  })
  // The file does not exist until the first calibration.
  if (text === undefined) return reading
  const calibration = await engine.readCalibration({ path, text })
  return calibration.kind === 'unreadable'
    ? calibration
    : { ...reading, settings: { ...reading.settings, calibration: calibration.calibration } }
}

/** @throws MemoryMarkError with the first problem of the settings. */
export async function settingsOrThrow(flags: SettingsFlags, engine: IsolatedEngine): Promise<RepositorySettings> {
  const reading = await findSettings(flags, engine)
  switch (reading.kind) {
    case 'settings':
      return reading.settings
    case 'none':
      return noSettings
    case 'unreadable': {
      const [first] = reading.problems
      throw first === undefined ? unreadable(SETTINGS_PATH, undefined) : new MemoryMarkError(first)
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

function unreadable(path: string, cause: unknown): MemoryMarkError {
  const message = isMissing(cause) ? 'no such file' : 'the settings file cannot be read'
  const fix = 'Check the path and its permissions, or run with --no-settings.'
  return new MemoryMarkError({ code: 'settings-unreadable', file: path, message, fix }, { cause })
}
