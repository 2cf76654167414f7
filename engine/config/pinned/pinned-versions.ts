/** The releases that a repository pins for a config: what the nearest file above it says, in words for the reader too. */
import { posix } from 'node:path'
import { familyOf, type ModelConfig } from '../../models/architecture.ts'
import { isOfFourBits } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import {
  compareVersions,
  isOptional,
  type LibraryVersions,
  type VersionedLibrary,
  versionedLibraries,
} from '../../training/versions.ts'
import type { SuppliedVersion } from '../fields/supplied.ts'
import { oncePerList } from '../folder-list.ts'
import { isPlausibleName, type Sources } from '../sources.ts'
import { isVersionFile, REQUIREMENTS_FOLDER, rankOf, type Statement, statementsIn } from './version-files.ts'

export type PinnedVersions =
  | { readonly kind: 'looked-for'; readonly statements: readonly Statement[] }
  /** There was no repository to look in. */
  | { readonly kind: 'not-looked-for' }

export const nothingPinned: PinnedVersions = { kind: 'not-looked-for' }

/** Each is read for every config below it. */
const MAX_FOLDERS = 12
const MAX_FILES = 24

/** What each version file said that a change adds, edits or deletes, before the change: nothing where there was none. */
export type FormerStatements = ReadonlyMap<string, readonly Statement[]>

/**
 * Asks for the files of all folders before it reads one, so that a host can read them together. With `former`, as they were before
 * the change.
 */
export async function findPinnedVersions(
  { readFile, listFolder }: Pick<Sources, 'readFile' | 'listFolder'>,
  configPath: string,
  former: FormerStatements = new Map(),
): Promise<PinnedVersions> {
  if (readFile === undefined || listFolder === undefined) return nothingPinned
  const listThen = formerly(listFolder, former)
  const found: (readonly string[])[] = []
  for (const folder of foldersAbove(configPath)) found.push(await versionFilesIn(folder, configPath, listThen))
  const paths = found.flat().slice(0, MAX_FILES)
  const texts = await Promise.all(paths.map(async path => (former.has(path) ? undefined : readFile(path))))
  const statements = await Promise.all(
    paths.map(async (path, index) => {
      const text = texts[index]
      return text === undefined ? (former.get(path) ?? []) : await statementsIn({ path, text })
    }),
  )
  const folders = found.map(inFolder => inFolder.flatMap(path => statements[paths.indexOf(path)] ?? []))
  return { kind: 'looked-for', statements: versionedLibraries.flatMap(library => deciding(library, folders) ?? []) }
}

/** Lists the files that the change deletes as well. */
export function formerly(
  listFolder: NonNullable<Sources['listFolder']>,
  former: FormerStatements,
): NonNullable<Sources['listFolder']> {
  return async folder => {
    const names = await listFolder(folder)
    const inFolder = [...former.keys()].filter(path => posix.dirname(path) === folder)
    if (inFolder.length === 0) return names
    return [...new Set([...names, ...inFolder.map(path => posix.basename(path))])]
  }
}

export interface ChosenVersions {
  /** Those that are named. */
  readonly versions: LibraryVersions
  /** With the newest TRL that goes with an older transformers, where none is named. */
  readonly taken: LibraryVersions
  /** For the reader of the result, by the library that each is about. */
  readonly sentences: ReadonlyMap<VersionedLibrary, string>
  /** Libraries without a pinned version, although there was a repository to search. */
  readonly unnamed: readonly VersionedLibrary[]
}

/** TRL's releases by the first that asks for a newer transformers: `install_requires` of its setup.cfg. */
const trlByTransformers: readonly { readonly transformersBefore: string; readonly trl: string }[] = [
  { transformersBefore: '4.46', trl: '0.11' },
  { transformersBefore: '4.50', trl: '0.17' },
  { transformersBefore: '4.51', trl: '0.18' },
  { transformersBefore: '4.53.2', trl: '0.19' },
  { transformersBefore: '4.55', trl: '0.20' },
  { transformersBefore: '4.56.1', trl: '0.22' },
]

/** The newest TRL that goes with an older transformers; undefined for one with which the newest does, or of which no version is known. */
function trlBeside(transformers: string | undefined): string | undefined {
  if (transformers === undefined) return undefined
  return trlByTransformers.find(row => compareVersions(transformers, row.transformersBefore) < 0)?.trl
}

/** `supplied` wins over what is pinned. A library in neither is assumed to be the newest. */
export function chosenVersions(pinned: PinnedVersions, supplied: readonly SuppliedVersion[] = []): ChosenVersions {
  const statements = pinned.kind === 'looked-for' ? pinned.statements : []
  const versions: LibraryVersions = {}
  const sentences = new Map<VersionedLibrary, string>()
  const unnamed: VersionedLibrary[] = []
  for (const library of versionedLibraries) {
    const ours = supplied.findLast(each => each.library === library)
    const theirs = statements.find(each => each.library === library)
    const version = ours?.version ?? theirs?.version
    if (version !== undefined) versions[library] = version
    if (ours !== undefined) sentences.set(library, `${library} ${ours.version} (${ours.place}).`)
    else if (theirs !== undefined) sentences.set(library, inWords(theirs))
    else if (!isOptional(library)) unnamed.push(library)
  }
  const trl = versions.trl === undefined ? trlBeside(versions.transformers) : undefined
  if (trl !== undefined) {
    sentences.set('trl', `trl ${trl}, the newest that goes with transformers ${versions.transformers}.`)
    unnamed.splice(unnamed.indexOf('trl'), 1)
  }
  const taken = trl === undefined ? versions : { ...versions, trl }
  return { versions, taken, sentences, unnamed: pinned.kind === 'looked-for' ? unnamed : [] }
}

/**
 * A config's steps depend on TRL only if its defaults mattered, on bitsandbytes with its 4-bit weights, and on flash-linear-attention
 * in gated delta nets.
 */
export function concernedBy(
  spec: TrainingSpec,
  config: ModelConfig,
  dependsOnTrl: boolean,
): (library: VersionedLibrary) => boolean {
  return library => {
    if (library === 'trl') return dependsOnTrl
    if (library === 'flash-linear-attention') return familyOf(config).recurrence?.(config) === 'gated-delta'
    return library !== 'bitsandbytes' || isOfFourBits(spec.quantization)
  }
}

/** Sentences for the reader. The Trainer's steps depend on all libraries, so each one assumed to be the newest is named. */
export function versionSentences(
  { sentences, unnamed }: ChosenVersions,
  loop: TrainingSpec['loop'],
  concerns: (library: VersionedLibrary) => boolean,
): readonly string[] {
  const told = [...sentences].flatMap(([library, sentence]) => (concerns(library) ? [sentence] : []))
  const newest = unnamed.filter(concerns)
  if (loop !== 'trainer' || newest.length === 0) return told
  return [...told, `The newest ${newest.join(', ')}: no requirements or lock file names a version.`]
}

/** From the config's own folder up to the root; of a config outside the repository, its own folder alone. */
function foldersAbove(configPath: string): readonly string[] {
  const own = posix.dirname(posix.normalize(configPath))
  if (own.startsWith('/') || own === '..' || own.startsWith('../')) return [own]
  const folders = [own]
  for (let folder = own; folder !== '.'; ) {
    folder = posix.dirname(folder)
    folders.push(folder)
  }
  return folders.length <= MAX_FOLDERS ? folders : [...folders.slice(0, MAX_FOLDERS - 1), folders.at(-1) ?? '.']
}

const directlyIn = oncePerList(paths => paths.filter(path => isVersionFile(path) && isPlausibleName(path)))

/** In the order in which their word counts: of several of a kind, those first whose names share most with the config's path. */
async function versionFilesIn(
  folder: string,
  configPath: string,
  listFolder: NonNullable<Sources['listFolder']>,
): Promise<readonly string[]> {
  const below = posix.join(folder, REQUIREMENTS_FOLDER)
  const said = wordsOf(posix.relative(folder, configPath))
  const suits = (path: string) => {
    const words = wordsOf(posix.basename(path))
    return words.filter(word => said.includes(word)).length + (words.includes('train') ? 0.5 : 0)
  }
  const listed = await Promise.all([folder, below].map(async at => directlyIn(await listFolder(at), at)))
  return listed
    .flat()
    .toSorted((a, b) => (rankOf(a) ?? 0) - (rankOf(b) ?? 0) || suits(b) - suits(a) || (a < b ? -1 : 1))
}

/** `requirements-train.txt` is for a script in train/, and for training where no name says more. */
function wordsOf(path: string): readonly string[] {
  return (
    path
      .toLowerCase()
      .match(/[a-z]{1,40}/g)
      ?.map(word => (word === 'training' ? 'train' : word)) ?? []
  )
}

/**
 * The nearest folder that names the library counts: a lock or an exact version before a range. A range is replaced by
 * an exact version further up that it allows, such as a workspace's lock.
 */
function deciding(library: VersionedLibrary, folders: readonly (readonly Statement[])[]): Statement | undefined {
  const of = folders
    .map(statements => statements.filter(each => each.library === library))
    .filter(each => each.length > 0)
  const nearest = of[0]?.find(({ kind }) => kind === 'exact') ?? of[0]?.[0]
  if (nearest === undefined || nearest.kind === 'exact') return nearest
  return of.flat().find(({ kind, version }) => kind === 'exact' && isAllowed(version, nearest)) ?? nearest
}

function isAllowed(version: string | undefined, { version: newest, atLeast }: Statement): boolean {
  if (version === undefined) return false
  const isNewEnough = atLeast === undefined || compareVersions(version, atLeast) >= 0
  return isNewEnough && (newest === undefined || compareVersions(version, newest) <= 0)
}

/** `transformers 4.46.3 (requirements.txt, line 3).` */
function inWords({ library, kind, version, written, path, line }: Statement): string {
  const at = `${path}, line ${line}`
  if (kind === 'exact' && version !== undefined) return `${library} ${version} (${at}).`
  const range = written === '' ? 'any' : written
  if (version === undefined) return `${library}: the newest, since ${at} allows ${range}.`
  return `${library} ${version}, the newest that ${at} allows (${range}).`
}
