/**
 * The upgrade guard: when a change pins other versions of a config's libraries, estimates the config with both and
 * finds which release between them moves its peak.
 */
import { isSameData } from '../base/same-data.ts'
import type { Calibration } from '../calibration/correction.ts'
import { knownOf } from '../calibration/known.ts'
import type { SuppliedFields } from '../config/fields/supplied.ts'
import { chosenVersions, type FormerStatements, findPinnedVersions } from '../config/pinned/pinned-versions.ts'
import { readConfigAsync } from '../config/read.ts'
import type { SourceFile } from '../config/reading.ts'
import type { Sources } from '../config/sources.ts'
import type { FootprintCache } from '../estimate/footprint-cache.ts'
import { differencesInStep, faultsOf } from '../estimate/release-differences.ts'
import type { Gpu } from '../gpus/catalogue.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { EstimateProbes } from '../probes/estimate.ts'
import { settingName, settingValue } from '../render/decision.ts'
import { isSamePeak, type Upgrade } from '../report/upgrade.ts'
import { accumulatesGradients } from '../training/batches.ts'
import type { TrainingSpec } from '../training/spec.ts'
import {
  compareVersions,
  type DecisiveRelease,
  decisiveReleases,
  type LibraryVersions,
  releaseTaken,
  type VersionedLibrary,
  versionedLibraries,
} from '../training/versions.ts'

export interface UpgradeOptions {
  /** Reads the repository as it is after the change. */
  readonly sources: Sources
  readonly former: FormerStatements
  /** Library versions among them win over what the repository pins and are the same before and after. */
  readonly supplied: SuppliedFields
  readonly gpu: Gpu
  readonly footprints: FootprintCache
  readonly calibration?: Calibration
  /** Traces the step with both; only estimated by default. */
  readonly tracer?: UpgradeTracer
}

/** A step as one environment's libraries run it. */
export interface UpgradedStep {
  readonly spec: TrainingSpec
  readonly model: ModelConfig
  readonly gpu: Gpu
}

/** Undefined where a step could not be traced. `path`: the config's. */
export type UpgradeTracer = (path: string, before: UpgradedStep, after: UpgradedStep) => Promise<Upgrade['traced']>

/**
 * Undefined if the config's library versions stay the same or it cannot be estimated. `file` is read as it is after the
 * change, so that only the versions differ. Never throws because of what the file holds.
 */
export async function upgradeOf(file: SourceFile, options: UpgradeOptions): Promise<Upgrade | undefined> {
  const { sources, supplied, former } = options
  const pinned = await findPinnedVersions(sources, file.path)
  const now = chosenVersions(pinned, supplied.versions).versions
  const earlier = chosenVersions(await findPinnedVersions(sources, file.path, former), supplied.versions).versions
  if (isSameData(now, earlier)) return undefined

  const estimate = (versions: LibraryVersions) => estimateWith(versions, file, options)
  const [before, after] = [await estimate(asNamed(earlier)), await estimate(asNamed(now))]
  if (before === undefined || after === undefined) return undefined
  const isConcerned = (library: VersionedLibrary) =>
    [before, after].some(({ spec }) => spec.versions?.[library] !== undefined)
  const changed = versionedLibraries.filter(library => isConcerned(library) && now[library] !== earlier[library])
  if (changed.length === 0) return undefined
  const statements = pinned.kind === 'looked-for' ? pinned.statements : []
  const { spec, model } = after
  const isStill = isSamePeak(before.peakBytes, after.peakBytes)
  const faults = faultsOf(spec, model, now)
  const knownBefore = new Set(faultsOf(before.spec, model, earlier))
  const { gpu, tracer } = options
  const traced = await tracer?.(file.path, { ...before, gpu }, { ...after, gpu })
  return {
    libraries: changed.map(library => {
      const at = statements.find(each => each.library === library)
      return {
        library,
        ...(earlier[library] !== undefined && { before: earlier[library] }),
        ...(now[library] !== undefined && { after: now[library] }),
        ...(at && { at: { path: at.path, line: at.line } }),
      }
    }),
    before: { peakBytes: before.peakBytes, fits: before.fits },
    after: { peakBytes: after.peakBytes, fits: after.fits },
    ...(traced && { traced }),
    causes: isStill ? [] : await causesOf(changed, { earlier, now, peakBytes: before.peakBytes }, estimate),
    warnings: faults.filter(sentence => !knownBefore.has(sentence)),
  }
}

interface Estimated {
  readonly spec: TrainingSpec
  readonly model: ModelConfig
  readonly peakBytes: number
  readonly fits: boolean
}

async function estimateWith(
  versions: LibraryVersions,
  file: SourceFile,
  { sources, supplied, gpu, footprints, calibration }: UpgradeOptions,
): Promise<Estimated | undefined> {
  const supposed = versionedLibraries.flatMap(library => {
    const version = versions[library]
    return version === undefined ? [] : [{ library, version, place: 'the change' }]
  })
  const reading = await readConfigAsync(file, sources, { ...supplied, versions: supposed })
  if (reading.kind !== 'training-config' || reading.spec.framework !== 'pytorch') return undefined
  const { spec, model } = reading
  const { memoryFactor } = knownOf(spec, model.config, gpu, calibration)
  const probe = new EstimateProbes(spec, model.config, gpu, footprints, memoryFactor).of(accumulatesGradients(spec))
  const peakBytes = probe.peak(spec.microBatch).bytes
  return { spec, model: model.config, peakBytes, fits: probe.fits(spec.microBatch) }
}

interface Span {
  readonly earlier: LibraryVersions
  readonly now: LibraryVersions
  /** The peak before the change. */
  readonly peakBytes: number
}

/**
 * Walks from the old versions to the new, one decisive release at a time: how many bytes each moves the peak by, and
 * why.
 */
async function causesOf(
  changed: readonly VersionedLibrary[],
  { earlier, now, peakBytes }: Span,
  estimate: (versions: LibraryVersions) => Promise<Estimated | undefined>,
): Promise<Upgrade['causes']> {
  const causes: Upgrade['causes'] = []
  let versions = asNamed(earlier)
  let last = await estimate(versions)
  for (const library of changed) {
    for (const { release, version } of releasesBetween(library, earlier[library], now[library])) {
      versions = { ...versions, [library]: version }
      const next = await estimate(versions)
      if (last === undefined || next === undefined) return causes
      const why = clausesOn(last, next)
      const deltaBytes = next.peakBytes - last.peakBytes
      if (why.length > 0 && !isSamePeak(peakBytes, peakBytes + deltaBytes))
        causes.push({ library, release, deltaBytes, why: why.slice(0, 10) })
      last = next
    }
  }
  return causes.toSorted((a, b) => Math.abs(b.deltaBytes) - Math.abs(a.deltaBytes))
}

/** The decisive releases between two versions in the order of the walk, each with a version on its far side. */
function releasesBetween(
  library: VersionedLibrary,
  from: string | undefined,
  to: string | undefined,
): readonly { readonly release: string; readonly version: string }[] {
  const [start, end] = [from ?? releaseTaken(library), to ?? releaseTaken(library)]
  const isUp = compareVersions(start, end) < 0
  const [older, newer] = isUp ? [start, end] : [end, start]
  const releases: readonly DecisiveRelease<VersionedLibrary>[] = decisiveReleases[library]
  const crossed = releases.filter(each => compareVersions(older, each) < 0 && compareVersions(each, newer) <= 0)
  if (isUp) return crossed.map(release => ({ release, version: release }))
  return crossed.map((release, index) => ({ release, version: crossed[index - 1] ?? older })).toReversed()
}

/** Gives every library a version, since one without would be looked up. */
function asNamed(versions: LibraryVersions): LibraryVersions {
  return Object.fromEntries(versionedLibraries.map(library => [library, versions[library] ?? releaseTaken(library)]))
}

/** What a rule of `differencesInStep` tells, or what is no setting. */
const toldByRules: ReadonlySet<keyof TrainingSpec> = new Set(['versions', 'checkpointedLoss'] as const)

/** What differs in the step's own rules and in settings whose defaults the libraries decide. */
function clausesOn(before: Estimated, after: Estimated): readonly string[] {
  const settings = (Object.keys({ ...before.spec, ...after.spec }) as (keyof TrainingSpec)[]).filter(
    setting => !toldByRules.has(setting) && said(before.spec[setting]) !== said(after.spec[setting]),
  )
  return [
    ...differencesInStep(before.spec, after.spec, after.model),
    ...settings.map(setting => {
      const [was, is] = [before.spec[setting], after.spec[setting]]
      return `the default of ${settingName({ setting })} is ${said(is)} instead of ${said(was)}`
    }),
  ]
}

function said(value: unknown): string {
  return value === undefined ? 'none' : settingValue({ value })
}
