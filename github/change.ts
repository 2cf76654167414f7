/**
 * Reads a change for the engine: candidates for training configs, configs that depend on a changed file, the files that
 * these name, and the base of each. Action and bot both use it, so they come to the same verdict.
 */
import {
  type AffectedConfigs,
  type IsolatedEngine,
  isVersionFile,
  MAX_VERSION_FILES,
  type RepositorySettings,
  type SourceFile,
} from '../engine/index.ts'
import { selectCandidates } from './candidates.ts'
import { type ChangedFiles, type Commits, findChangedFiles, remarkOn, type Subject } from './changed-files.ts'
import type { GitHubClient, Repository } from './client.ts'
import { CommitFiles, type FileReading } from './commit-files.ts'
import { type KeptTexts, keptForOneChange } from './kept-texts.ts'

export interface ReadChange {
  readonly changed: ChangedFiles
  /** Files at the head: candidates first, then configs that depend on a changed file. */
  readonly files: readonly SourceFile[]
  /** The blob SHA of each file. */
  readonly blobs: readonly { readonly path: string; readonly blobSha: string }[]
  /** The text of a file at the head; undefined if there is none. */
  readonly readFile: (path: string) => Promise<string | undefined>
  /** Names of the files in a folder at the head. */
  readonly listFolder: (path: string) => Promise<readonly string[]>
  /** The text of a file at the base; undefined if there was none. */
  readonly base: (path: string) => Promise<string | undefined>
  /** The blob SHA of a file at the base; undefined if there was none. */
  readonly baseBlobSha: (path: string) => Promise<string | undefined>
  /** For version files whose statements differ: what they said at the base. */
  readonly formerVersions: AffectedConfigs['formerVersions']
  /**
   * Candidates that do not exist at this commit: GitHub lists a pull request's current files, whichever commit is
   * checked.
   */
  readonly absent: readonly string[]
  /** Sentences for the reader on how files were found and read, without untrusted text. */
  readonly remarks: readonly string[]
}

/** Reads untrusted files in limited processes. */
export type FileReader = Pick<IsolatedEngine, 'affectedConfigs' | 'countPaths' | 'namedFiles'>

export class Change {
  readonly #engine: FileReader
  readonly #subject: Subject
  readonly #commits: Commits
  #changed: Promise<ChangedFiles> | undefined

  constructor(engine: FileReader, subject: Subject, commits: Commits) {
    this.#engine = engine
    this.#subject = subject
    this.#commits = commits
  }

  get head(): CommitFiles {
    return this.#commits.at(this.#subject.headSha)
  }

  /** Requested once. */
  changed(): Promise<ChangedFiles> {
    this.#changed ??= findChangedFiles(this.#commits, this.#subject)
    return this.#changed
  }

  /** `onCandidates` receives the number of candidates before they are read. */
  async read(settings: RepositorySettings, onCandidates?: (count: number) => Promise<void>): Promise<ReadChange> {
    const changed = await this.changed()
    const candidates = await selectCandidates(this.#engine, changed.paths, settings)
    await onCandidates?.(candidates.paths.length)
    const pinning = changed.paths.filter(isVersionFile).slice(0, MAX_VERSION_FILES)
    const read =
      candidates.paths.length + pinning.length === 0 ? [] : await this.head.read([...candidates.paths, ...pinning])
    const readings = read.slice(0, candidates.paths.length)
    const own = filesIn(readings)
    const affected = await this.#affected(changed, own, settings)
    const files = [...own, ...affected.files]
    const named = await readNamed(this.#engine, files, settings, this.head)
    // What is said of the globs may be true of the changed paths and of the others.
    const remarks = [
      ...new Set([...changed.remarks, ...candidates.remarks, ...remarksOn(readings), ...affected.remarks]),
    ]
    return {
      changed,
      files,
      blobs: await this.#blobsOf(files),
      readFile: path => this.head.text(path),
      listFolder: path => this.head.listFolder(path),
      ...this.#before(changed, [...files.map(({ path }) => path), ...named]),
      formerVersions: affected.formerVersions,
      absent: candidates.paths.filter((_, index) => readings[index]?.kind === 'absent'),
      remarks,
    }
  }

  /** One file of the change, without listing anything in advance. */
  async readOne(path: string): Promise<Pick<ReadChange, 'files' | 'readFile' | 'listFolder' | 'base'>> {
    const files = filesIn(await this.head.read([path]))
    let before: Promise<Pick<ReadChange, 'base'>> | undefined
    const baseOf = async (asked: string) => {
      before ??= this.changed().then(changed => this.#before(changed, [path]))
      return (await before).base(asked)
    }
    return {
      files,
      readFile: path => this.head.text(path),
      listFolder: path => this.head.listFolder(path),
      base: baseOf,
    }
  }

  /** Skipped if every file of the tree is a candidate anyway. */
  async #affected(
    changed: ChangedFiles,
    files: readonly SourceFile[],
    settings: RepositorySettings,
  ): Promise<AffectedConfigs> {
    if (this.#subject.kind === 'tree') return { files: [], formerVersions: new Map(), remarks: [] }
    const cut: string[] = []
    const affected = await this.#engine.affectedConfigs(
      { paths: changed.paths, removed: changed.removed, files },
      settings,
      {
        list: async () => {
          const tree = await this.head.tree()
          // A list of all changed files tells nothing of the others, and one that was cut has been told of.
          if (changed.remarks.length === 0)
            cut.push(...remarkOn(this.head.commitSha, tree, ' that depend on a changed file'))
          return [...tree.entries.keys()]
        },
        read: async paths => filesIn(await this.head.read(paths)),
        // Reads the configs' base as well, which a verdict on changed versions will need.
        readBefore: async paths => {
          const before = await this.#readBefore(changed, [...paths, ...files.map(({ path }) => path)])
          return before.filter(({ path }) => paths.includes(path))
        },
      },
    )
    return { ...affected, remarks: [...affected.remarks, ...cut] }
  }

  /** By their paths at the head. */
  async #readBefore({ formerPaths }: ChangedFiles, paths: readonly string[]): Promise<readonly SourceFile[]> {
    if (this.#subject.kind === 'tree') return []
    const base = this.#commits.at(this.#subject.baseSha)
    if (!(await base.exists())) return []
    const readings = await base.read(paths.map(path => formerPaths.get(path) ?? path))
    return readings.flatMap((reading, index) =>
      reading.kind === 'file' ? [{ ...reading.file, path: paths[index] ?? reading.file.path }] : [],
    )
  }

  async #blobsOf(files: readonly SourceFile[]): Promise<ReadChange['blobs']> {
    const readings = files.length === 0 ? [] : await this.head.read(files.map(({ path }) => path))
    return readings.flatMap(one => (one.kind === 'file' ? [{ path: one.file.path, blobSha: one.blobSha }] : []))
  }

  /** `paths`: configs and the files that they name. */
  #before({ formerPaths }: ChangedFiles, paths: readonly string[]): Pick<ReadChange, 'base' | 'baseBlobSha'> {
    const subject = this.#subject
    if (subject.kind === 'tree') return { base: async () => undefined, baseBlobSha: async () => undefined }
    const base = this.#commits.at(subject.baseSha)
    const before = (path: string) => formerPaths.get(path) ?? path
    let read: Promise<unknown> | undefined
    // If one config's base is needed for its verdict, others mostly are too, so all are read together. Most names are
    // the same at the base; other files are read on request. The configs themselves are not read here, because the
    // engine is waiting for this answer.
    return {
      base: async path => {
        if (!(await base.exists())) return undefined
        read ??= base.read(paths.map(before))
        await read
        return base.text(before(path))
      },
      baseBlobSha: async path => ((await base.exists()) ? base.blobSha(before(path)) : undefined),
    }
  }
}

export function openChange(
  client: GitHubClient,
  repository: Repository,
  subject: Subject,
  { engine, kept = keptForOneChange() }: { readonly engine: FileReader; readonly kept?: KeptTexts },
): Change {
  const files = new Map<string, CommitFiles>()
  const at = (commitSha: string) => {
    const known = files.get(commitSha) ?? new CommitFiles({ client, repository, commitSha, kept })
    files.set(commitSha, known)
    return known
  }
  return new Change(engine, subject, { client, repository, at })
}

/** A config names a model, whose config.json may name another. */
const MAX_ROUNDS = 3

/** Reads the files that configs name together, and returns their paths. */
async function readNamed(
  engine: FileReader,
  files: readonly SourceFile[],
  settings: RepositorySettings,
  at: CommitFiles,
): Promise<readonly string[]> {
  const readSoFar = {
    text: (path: string) => at.textReadSoFar(path),
    listFolder: (path: string) => at.listFolder(path),
    isUnread: (path: string) => at.isUnread(path),
  }
  const all: string[] = []
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const named = await engine.namedFiles(files, settings, readSoFar)
    if (named.length === 0) break
    await at.read(named)
    all.push(...named)
  }
  return all
}

function filesIn(readings: readonly FileReading[]): SourceFile[] {
  return readings.flatMap(reading => (reading.kind === 'file' ? [reading.file] : []))
}

function remarksOn(readings: readonly FileReading[]): string[] {
  const count = (kind: FileReading['kind']) => readings.filter(reading => reading.kind === kind).length
  const [tooLarge, tooMuch] = [count('too-large'), count('too-much')]
  return [
    ...(tooLarge > 0 ? [`${counted(tooLarge)} above 16 MiB ${tooLarge === 1 ? 'was' : 'were'} not read.`] : []),
    ...(tooMuch > 0
      ? [`${counted(tooMuch)} ${tooMuch === 1 ? 'was' : 'were'} not read, because the others are so large.`]
      : []),
  ]
}

function counted(count: number): string {
  return count === 1 ? 'One file' : `${count} files`
}
