/** Reads a training config, whatever it is written in. */
import { gitBlobSha } from './blob-sha.ts'
import { type Decision, FieldReader } from './fields/fields.ts'
import type { SuppliedFields } from './fields/supplied.ts'
import { openConfig } from './opening/keys.ts'
import { openFile } from './opening/open.ts'
import type { Found, OpenConfig, UnopenedFile } from './opening/open-config.ts'
import { findDeepSpeedFile, notLookedFor } from './other-files/deepspeed-file.ts'
import { findPinnedVersions, nothingPinned } from './pinned/pinned-versions.ts'
import type { FileReading, OtherFile, Reading, SourceFile } from './reading.ts'
import { type Resolution, resolveModel, resolveOffline } from './resolve-model.ts'
import { notingFiles, type Sources } from './sources.ts'

/** How a file is read, for people who ask. */
export type Explanation =
  | {
      readonly kind: 'recognised'
      readonly dialect: string
      /** The keys by which it was recognised. */
      readonly why: string
      /** Where each setting of the spec came from, in the order in which they were read. */
      readonly decisions: readonly Decision[]
      readonly assumptions: readonly string[]
      readonly reading: Reading
    }
  | { readonly kind: 'not-recognised'; readonly reading: UnopenedFile }

/** Without anything but the file and the catalogue. */
const offline: Found = { lookUp: resolveOffline, deepSpeed: notLookedFor, pinned: nothingPinned, files: [] }

/** One file of keys: parse, find the tool whose format it is, read. Never throws for what the file holds. Scripts are read by `readConfigAsync`. */
export function readConfig(file: SourceFile): Reading {
  const opened = openConfig(file)
  return opened.kind === 'open' ? readWith(opened, offline) : opened
}

/** As `readConfig`, with what the file names looked for. `supplied` wins over what the file writes. */
export async function readConfigAsync(
  file: SourceFile,
  sources: Sources,
  supplied: SuppliedFields = {},
): Promise<FileReading> {
  const noted = notingFiles(sources)
  const opened = await openFile(file, noted.sources, supplied, sources)
  return opened.kind === 'open' ? readWith(opened, await foundFor(opened, file, sources, noted)) : opened
}

/** Reads a file of keys as `readConfig` does, and tells how. */
export function explainConfig(file: SourceFile): Explanation {
  const opened = openConfig(file)
  return opened.kind === 'open'
    ? explain(opened, new FieldReader(file.path), offline)
    : { kind: 'not-recognised', reading: opened }
}

/** As `explainConfig`, with what the file names looked for. */
export async function explainConfigAsync(
  file: SourceFile,
  sources: Sources,
  supplied: SuppliedFields = {},
): Promise<Explanation> {
  const noted = notingFiles(sources)
  const opened = await openFile(file, noted.sources, supplied, sources)
  if (opened.kind !== 'open') return { kind: 'not-recognised', reading: opened }
  return explain(opened, new FieldReader(file.path, supplied), await foundFor(opened, file, sources, noted))
}

async function foundFor(
  { modelName, deepSpeedName, launchers = [] }: OpenConfig,
  { path }: SourceFile,
  sources: Sources,
  noted: ReturnType<typeof notingFiles>,
): Promise<Found> {
  const stage = modelName === undefined ? undefined : await findEarlierStage(modelName, path, sources, noted.sources)
  const resolution: Resolution =
    modelName === undefined ? { kind: 'unknown' } : (stage ?? (await resolveModel(modelName, noted.sources, path)))
  const deepSpeed = await findDeepSpeedFile(deepSpeedName, noted.sources, path)
  const pinned = await findPinnedVersions(sources, path)
  const files = await Promise.all([...noted.files, ...launchers].map(otherFile))
  return { lookUp: () => resolution, deepSpeed, pinned, files, isTrainedBefore: stage?.kind === 'resolved' }
}

/** Only for a name that nothing but a folder may stand behind. */
async function findEarlierStage(
  name: string,
  path: string,
  sources: Sources,
  noted: Sources,
): Promise<Resolution | undefined> {
  if (resolveOffline(name).kind !== 'unknown' || !name.includes('/')) return undefined
  const { modelOfEarlierStage } = await import('./other-files/earlier-stage.ts')
  return modelOfEarlierStage(name, path, sources, noted)
}

function readWith({ dialect, read }: OpenConfig, found: Found): Reading {
  const reading = read(found)
  return reading.kind === 'unreadable' ? { ...reading, dialect } : reading
}

function explain({ dialect, why, read }: OpenConfig, reader: FieldReader, found: Found): Explanation {
  const reading = read(found, reader)
  const { decisions } = reader
  const { assumptions } = reading.kind === 'training-config' ? reading : reader
  return { kind: 'recognised', dialect, why, decisions, assumptions, reading }
}

async function otherFile({ path, text }: SourceFile): Promise<OtherFile> {
  return { path, blobSha: await gitBlobSha(text) }
}
