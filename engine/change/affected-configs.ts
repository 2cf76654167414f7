/**
 * Finds configs that a change affects without touching them: those that name a DeepSpeed JSON or a model's config.json
 * that it changes; those that a changed launcher or job starts; those composed with, or scripts importing, changed
 * settings; those that start from a model which a changed config beside them trains; and those for which it pins other
 * library versions.
 */
import { posix } from 'node:path'
import { isSameData } from '../base/same-data.ts'
import { isCandidatePath } from '../config/candidate-path.ts'
import { isYamlPath, mayBeJob } from '../config/job/quick-look.ts'
import { dependsOn, knownFiles } from '../config/other-files/depends-on.ts'
import { isPartOfSettings } from '../config/other-files/settings-part.ts'
import { mayBeEarlierStage } from '../config/other-files/stage-name.ts'
import type { FormerStatements } from '../config/pinned/pinned-versions.ts'
import { isVersionFile, type Statement, statementsIn } from '../config/pinned/version-files.ts'
import { definesModules, holdsSettings, isPythonPath, mayTrain } from '../config/python/quick-look.ts'
import type { SourceFile } from '../config/reading.ts'
import { isLauncherPath, mayLaunch } from '../config/shell/quick-look.ts'
import type { Sources } from '../config/sources.ts'
import { parseFile } from '../config/text/document.ts'
import { type Counted, globsLeftOut, isCounted, type RepositorySettings, settingsFor } from '../settings/settings.ts'

/** Each file opened costs an API request. */
const MAX_SEARCHED = 100
const MAX_OPENED = 50
/**
 * Scripts opened to see whether they use a changed module or part of the settings. Most changes in a repository of
 * scripts touch one.
 */
const MAX_IMPORTERS = 40
/** Config files opened to see whether a changed script loads them or they include a changed part. */
const MAX_LOADED = 40
/** Changed YAML files parsed to see whether other configs include them. */
const MAX_PARTS = 100
/** Configs opened to see whether they go on from what a changed one beside them trains. */
const MAX_LATER_STAGES = 20
/** Changed files that pin library versions. */
export const MAX_VERSION_FILES = 20

/** The repository as it is after the change. */
export interface RepositoryFiles {
  /** Paths of all files. */
  list(): Promise<readonly string[]>
  /** Paths at which there is no file are left out. */
  read(paths: readonly string[]): Promise<readonly SourceFile[]>
  /** The text before the change, under the path after it. */
  readBefore(paths: readonly string[]): Promise<readonly SourceFile[]>
}

export interface Change {
  /** Paths of all files that are new or different. */
  readonly paths: readonly string[]
  /** Those of them that were read already. */
  readonly files: readonly SourceFile[]
  /** Paths that the change deletes; none by default. */
  readonly removed?: readonly string[]
}

export interface AffectedConfigs {
  readonly files: readonly SourceFile[]
  /** For each version file whose statements differ: what it said before the change. */
  readonly formerVersions: FormerStatements
  /** What to tell the reader about how these configs were found, one sentence each. */
  readonly remarks: readonly string[]
}

/** How files are inspected. Answers are in the order of `files`. */
export interface Inspector {
  /** Those that the globs of the settings count. */
  readonly counted: (paths: readonly string[]) => Promise<Counted>
  /** Whether other configs may name the file. */
  readonly areNamed: (files: readonly SourceFile[]) => Promise<readonly boolean[]>
  /** What each file says about library versions. */
  readonly state: (files: readonly SourceFile[]) => Promise<readonly (readonly Statement[])[]>
  /** For each launcher: the paths at which the configs that it starts may be. */
  readonly started: (files: readonly SourceFile[]) => Promise<readonly (readonly string[])[]>
  /**
   * Whether the file, read as a config, depends on one of the files in `named`. `known`: files that were already read.
   */
  readonly open: (
    files: readonly SourceFile[],
    named: ReadonlySet<string>,
    known: Sources,
  ) => Promise<readonly boolean[]>
}

/** Lists and reads the repository only if the change holds a file that configs may name. */
export async function affectedConfigs(
  change: Change,
  settings: RepositorySettings,
  repository: RepositoryFiles,
  inspector: Inspector = inspectHere(settings),
): Promise<AffectedConfigs> {
  const known = new Set(change.files.map(({ path }) => path))
  const unread = change.paths.filter(path => !known.has(path) && isCandidatePath(path) && soundsNamed(path))
  const opened = unread.length === 0 ? [] : await repository.read(unread.slice(0, MAX_OPENED))
  const texts = [...change.files, ...opened]
  const parts = texts.filter(({ path }) => isYamlPath(path)).slice(0, MAX_PARTS)
  const looked = [...texts.filter(({ path }) => /\.(?:json|py)$/i.test(path)), ...parts]
  const formerVersions = await otherVersions(change, repository, inspector)
  const repinned = [...formerVersions.keys()]
  const named = new Set([...chosen(looked, await inspector.areNamed(looked)).map(({ path }) => path), ...repinned])
  const places = (await inspector.started(change.files.filter(isStarting))).flat()
  const stages = change.files.filter(mayBeEarlierStage)
  if (named.size === 0 && places.length === 0 && stages.length === 0) {
    return { files: [], formerVersions, remarks: [] }
  }

  const changed = new Set(change.paths)
  const listed = await repository.list()
  const leftOut = new Set<string>()
  const asked = async (paths: readonly string[]) => {
    const counted = await inspector.counted(paths.filter(path => !changed.has(path) && isCandidatePath(path)))
    if (!counted.isWithinLimits) leftOut.add(globsLeftOut)
    return counted.paths
  }
  const existing = new Set(places.length === 0 ? [] : listed)
  const startedPaths = (await asked(places.filter(path => existing.has(path)))).slice(0, MAX_OPENED)
  const started = startedPaths.length === 0 ? [] : await repository.read(startedPaths)
  const others = named.size === 0 ? { files: [], remarks: [] } : await naming(named)
  const found = [...started, ...others.files.filter(({ path }) => !startedPaths.includes(path))]
  const later = stages.length === 0 ? [] : await goingOnFrom(stages, new Set(found.map(({ path }) => path)))
  return {
    files: [...found, ...later],
    formerVersions,
    remarks: [
      ...leftOut,
      ...remarkOn(started.length, 'a launcher'),
      ...others.remarks,
      ...remarkOn(later.length, 'an earlier stage'),
    ],
  }

  /** What a changed config trains is the model of others in its folder. */
  async function goingOnFrom(
    earlier: readonly SourceFile[],
    besides: ReadonlySet<string>,
  ): Promise<readonly SourceFile[]> {
    const folders = new Set(earlier.map(({ path }) => posix.dirname(path)))
    const isBeside = (path: string) => folders.has(posix.dirname(path)) && /\.(?:ya?ml|json)$/i.test(path)
    const paths = (await asked(listed.filter(path => isBeside(path) && !besides.has(path)))).slice(0, MAX_LATER_STAGES)
    const read = paths.length === 0 ? [] : await repository.read(paths)
    const trained = new Set(earlier.map(({ path }) => path))
    return chosen(read, await inspector.open(read, trained, knownFiles([...read, ...texts])))
  }

  async function naming(names: ReadonlySet<string>): Promise<Pick<AffectedConfigs, 'files' | 'remarks'>> {
    const candidates = await asked(listed)
    const [scripts, files] = [candidates.filter(isScript), candidates.filter(path => !isScript(path))]
    const isOfScripts = [...names].every(path => isPythonPath(path) || (isYamlPath(path) && !repinned.includes(path)))
    // Only scripts import a module without a training, and without classes that configs may name.
    const isModule = [...names].every(path => isPythonPath(path) && !looked.some(isLoaded(path)))
    const nearest = (paths: readonly string[], max: number) => byNearness(paths, [...names]).slice(0, max)
    const paths = isOfScripts
      ? [...nearest(scripts, MAX_IMPORTERS), ...(isModule ? [] : nearest(files, MAX_LOADED))]
      : [...byNearness(files, [...names]), ...byNearness(scripts, [...names])].slice(0, MAX_SEARCHED)
    const read = await repository.read(paths)
    const known = knownFiles([...read, ...looked].filter(({ path }) => !repinned.includes(path)))
    const affected = chosen(read, await inspector.open(read, names, known))
    return { files: affected, remarks: remarksOn(affected.length, isOfScripts ? 0 : files.length, repinned.length > 0) }
  }
}

/** Whether the file may start a training: a launcher, or a job in YAML. */
function isStarting({ path, text }: SourceFile): boolean {
  return isLauncherPath(path) || (isYamlPath(path) && mayBeJob(text))
}

/** Matches the file at `path` if files of keys may be read by what it holds. */
function isLoaded(path: string): (file: SourceFile) => boolean {
  return file => file.path === path && (mayTrain(file.text) || definesModules(file.text))
}

function isScript(path: string): boolean {
  return isPythonPath(path) || isLauncherPath(path)
}

function remarkOn(count: number, changed: string): string[] {
  if (count === 0) return []
  return [
    count === 1
      ? `One config is checked because ${changed} of it has changed.`
      : `${count} configs are checked because ${changed} of them has changed.`,
  ]
}

/**
 * Statements before the change, of version files whose statements changed. Only libraries that change an estimate
 * count: a linter's version does not.
 */
async function otherVersions(
  { paths, removed = [] }: Change,
  repository: RepositoryFiles,
  inspector: Inspector,
): Promise<FormerStatements> {
  const changed = [...paths, ...removed].filter(isVersionFile).slice(0, MAX_VERSION_FILES)
  if (changed.length === 0) return new Map()
  const said = async (files: readonly SourceFile[]) => {
    const statements = await inspector.state(files)
    return new Map(files.map(({ path }, index) => [path, statements[index] ?? []]))
  }
  const now = await said(await repository.read(changed.filter(path => !removed.includes(path))))
  const before = await said(await repository.readBefore(changed))
  const inShort = (statements: readonly Statement[] = []) => statements.map(withoutLine)
  const differing = changed.filter(path => !isSameData(inShort(now.get(path)), inShort(before.get(path))))
  return new Map(differing.map(path => [path, before.get(path) ?? []]))
}

function withoutLine({ line: _, path: __, ...requirement }: Statement): object {
  return requirement
}

function inspectHere(settings: RepositorySettings): Inspector {
  return {
    counted: async paths => ({ paths: paths.filter(path => isCounted(path, settings)), isWithinLimits: true }),
    areNamed: async files => files.map(isNamedByConfigs),
    state: files => Promise.all(files.map(statementsIn)),
    started: files => Promise.all(files.map(startedBy)),
    open: async (files, named, known) => {
      const answers: boolean[] = []
      for (const file of files) answers.push(await opensOneOf(file, named, settings, known))
      return answers
    },
  }
}

/** Loads the shell parser only if the file may launch a training. */
export async function startedBy(file: SourceFile): Promise<readonly string[]> {
  if (!mayLaunch(file.text)) return []
  const { placesStartedBy } = await import('../config/shell/started-by-launchers.ts')
  return placesStartedBy(file)
}

function chosen(files: readonly SourceFile[], answers: readonly boolean[]): readonly SourceFile[] {
  return files.filter((_, index) => answers[index])
}

/**
 * Whether the name suggests a DeepSpeed or model config, such as `ds_z3.json`. Other JSON files may be data, by the
 * thousand, and are not opened.
 */
function soundsNamed(path: string): boolean {
  const ofDeepSpeed = /deepspeed|zero|(?:^|[/_.-])(?:ds|z[0-3])(?=[_.-])/i
  return /(?:^|\/)config\.json$/i.test(path) || (/\.json$/i.test(path) && ofDeepSpeed.test(path))
}

/**
 * Whether configs may name the file: DeepSpeed's JSON, a model's config.json, or a Python module or YAML part with
 * training settings.
 */
export function isNamedByConfigs(file: SourceFile): boolean {
  if (isPythonPath(file.path)) return holdsSettings(file.text)
  if (isYamlPath(file.path)) return isPartOfSettings(file)
  const parsed = parseFile(file)
  if (parsed.kind === 'unreadable') return false
  const isModel = posix.basename(file.path) === 'config.json'
  const telling = ['zero_optimization', ...(isModel ? ['model_type'] : [])]
  return parsed.mappings.some(mapping => telling.some(key => mapping.at(key) !== undefined))
}

/** `dependsOn`, with the values that the team's settings supply. */
export function opensOneOf(
  file: SourceFile,
  named: ReadonlySet<string>,
  settings: RepositorySettings,
  known: Sources,
): Promise<boolean> {
  return dependsOn(file, named, known, settingsFor(file.path, settings).supplied)
}

/** Sorted so that paths sharing the most folders with one of `others` come first. */
function byNearness(paths: readonly string[], others: readonly string[]): readonly string[] {
  const folders = foldersOf(others)
  const depths = new Map(paths.map(path => [path, depthWithin(folders, path)]))
  return paths.toSorted((a, b) => (depths.get(b) ?? 0) - (depths.get(a) ?? 0))
}

interface Folder {
  readonly inside: Map<string, Folder>
}

function foldersOf(paths: readonly string[]): Folder {
  const root: Folder = { inside: new Map() }
  for (const path of paths) {
    let folder = root
    for (const name of path.split('/').slice(0, -1)) {
      const inner = folder.inside.get(name) ?? { inside: new Map() }
      folder.inside.set(name, inner)
      folder = inner
    }
  }
  return root
}

/** How many of the path's folders are there. */
function depthWithin(root: Folder, path: string): number {
  let depth = 0
  let folder: Folder | undefined = root
  for (const name of path.split('/').slice(0, -1)) {
    folder = folder.inside.get(name)
    if (folder === undefined) break
    depth += 1
  }
  return depth
}

function remarksOn(found: number, candidates: number, isRepinned: boolean): string[] {
  const cut =
    candidates > MAX_SEARCHED
      ? [
          `Of ${candidates} files that may be training configs, the ${MAX_SEARCHED} nearest were searched for configs that name a changed file.`,
        ]
      : []
  if (found === 0) return cut
  const configs = found === 1 ? 'One config is' : `${found} configs are`
  const pinning = isRepinned ? `, or that pins ${found === 1 ? 'its' : 'their'} libraries,` : ''
  return [
    `${configs} checked because a file that ${found === 1 ? 'it names' : 'they name'}${pinning} has changed.`,
    ...cut,
  ]
}
