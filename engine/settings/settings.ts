/** A team's settings for its repository, and their result for one config. */
import type { Calibration } from '../calibration/correction.ts'
import { SETTINGS_PATH, type SuppliedFields } from '../config/fields/supplied.ts'
import { findGpuAmong, type Gpu } from '../gpus/catalogue.ts'
import type { Condition } from '../verdict/policy.ts'
import { matchesAny } from './glob.ts'
import type { Judgement } from './schema.ts'

export interface RepositorySettings extends ScopedSettings {
  /** The path of the file that they are from. */
  readonly source: string
  /** Globs; undefined counts every file. */
  readonly paths: readonly string[] | undefined
  readonly ignore: readonly string[]
  /** GPUs that the file describes, without their prices. */
  readonly gpus: readonly Gpu[]
  /** By the GPU's id. */
  readonly pricesPerHourUsd: Readonly<Record<string, number | undefined>>
  readonly failOn: Condition[] | undefined
  readonly warnOn: Condition[] | undefined
  readonly judge: Judgement | undefined
  readonly stepSize: number | undefined
  readonly marginPercent: number | undefined
  /** A cron line in UTC, or `never`. */
  readonly reportSchedule: string | undefined
  /** Undefined if no GPU measurement is wanted. */
  readonly measure: Measuring | undefined
  /** Values for every config, for what configs do not say. */
  readonly supplied: SuppliedFields
  readonly overrides: readonly Override[]
  /** Address of the playground that comments link to; `never` for no link, undefined if the team leaves it open. */
  readonly playground: string | undefined
  /** Path of the file with the measurements of the team's runs; undefined if there is none to correct figures by. */
  readonly calibrationPath: string | undefined
  /** The content of that file, once read. */
  readonly calibration: Calibration
}

/** The GPU measurement wanted for pull requests that change training configs. */
export interface Measuring {
  readonly by: 'pull-request' | 'dispatch'
  /** Path of the workflow file; undefined where the file leaves it open. */
  readonly workflow: string | undefined
  readonly waitMinutes: number | undefined
}

/** Which files count. */
export type Globs = Pick<RepositorySettings, 'paths' | 'ignore'>

/** The paths that the globs count. */
export interface Counted {
  readonly paths: readonly string[]
  /** False where the globs could not be held against all paths, so that all of them count. */
  readonly isWithinLimits: boolean
}

/** Said where matching them takes longer than a process may take. */
export const globsLeftOut =
  'The globs under paths and ignore take too long on these paths and are left out: every file counts.'

/** For a repository without settings. */
export const noSettings: RepositorySettings = {
  source: SETTINGS_PATH,
  paths: undefined,
  ignore: [],
  gpu: undefined,
  gpus: [],
  pricesPerHourUsd: {},
  hoursPerRun: undefined,
  runsPerYear: undefined,
  failOn: undefined,
  warnOn: undefined,
  judge: undefined,
  stepSize: undefined,
  marginPercent: undefined,
  reportSchedule: undefined,
  measure: undefined,
  supplied: {},
  overrides: [],
  playground: undefined,
  calibrationPath: undefined,
  calibration: [],
}

/** What may be set for the whole repository and for some paths. */
interface ScopedSettings {
  /** The GPU's id. */
  readonly gpu: string | undefined
  readonly hoursPerRun: number | undefined
  readonly runsPerYear: number | undefined
}

interface Override extends ScopedSettings {
  /** One glob. */
  readonly paths: readonly string[]
  readonly supplied: SuppliedFields
}

/** The settings for one config; undefined where the caller decides. */
export interface SettingsForPath {
  readonly gpu: Gpu | undefined
  readonly hoursPerRun: number | undefined
  readonly runsPerYear: number | undefined
  readonly supplied: SuppliedFields
}

/** Whether the team wants a file checked. `path` is `/`-separated, from the root of the repository. */
export function isCounted(path: string, { paths, ignore }: Globs): boolean {
  const isWanted = paths === undefined || matchesAny(path, paths)
  return isWanted && !matchesAny(path, ignore)
}

/** The repository's settings with the matching overrides applied, later ones last. */
export function settingsFor(path: string, settings: RepositorySettings): SettingsForPath {
  const matching = settings.overrides.filter(override => matchesAny(path, override.paths))
  const last = <T>(pick: (scope: ScopedSettings) => T | undefined): T | undefined =>
    [settings, ...matching].map(pick).findLast(value => value !== undefined)
  const gpuId = last(scope => scope.gpu)
  return {
    gpu: gpuId === undefined ? undefined : findGpuAmong(settings.gpus, gpuId),
    hoursPerRun: last(scope => scope.hoursPerRun),
    runsPerYear: last(scope => scope.runsPerYear),
    supplied: [settings, ...matching].map(({ supplied }) => supplied).reduce(overridden),
  }
}

/** Versions override each other library by library. */
function overridden(first: SuppliedFields, second: SuppliedFields): SuppliedFields {
  const versions = [...(first.versions ?? []), ...(second.versions ?? [])]
  return { ...first, ...second, ...(versions.length > 0 && { versions }) }
}
