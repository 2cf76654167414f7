/**
 * A change as the engine judges it: its candidates for training configs, the configs that name a file which it touches, what those
 * name, and what each file held before. The Action and the bot read a change by this alone, so they come to the same verdict.
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
import { type ChangedFiles, type Commits, findChangedFiles, type Subject } from './changed-files.ts'
import type { GitHubClient, Repository } from './client.ts'
import { CommitFiles, type FileReading } from './commit-files.ts'
import { type KeptTexts, keptForOneChange } from './kept-texts.ts'

export interface ReadChange {
  readonly changed: ChangedFiles
  /** At the head: candidates first, then the configs that name a changed file. */
  readonly files: readonly SourceFile[]
  /** Of each of the files, the SHA of its blob. */
  readonly blobs: readonly { readonly path: string; readonly blobSha: string }[]
  /** A text file at the head; undefined where there is none. */
  readonly readFile: (path: string) => Promise<string | undefined>
  /** Names of the files in a folder at the head. */
  readonly listFolder: (path: string) => Promise<readonly string[]>
  /** What a file held before; undefined where there was none. */
  readonly base: (path: string) => Promise<string | undefined>
  /** The SHA of what it held before; undefined where there was none. */
  readonly baseBlobSha: (path: string) => Promise<string | undefined>
  /** What the files that pin versions said before, of those that now say something else. */
  readonly formerVersions: AffectedConfigs['formerVersions']
  /** Candidates at which there is nothing: GitHub lists a pull request as it is now, whichever commit is looked at. */
  readonly absent: readonly string[]
  /** What the reader must know of how the files were found and read, one sentence each; without untrusted text. */
  readonly remarks: readonly string[]
}

/** What reads strangers' files, in processes with limits. */
export type FileReader = Pick<IsolatedEngine, 'affectedConfigs' | 'namedFiles'>

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

  /** Asked for once. */
  changed(): Promise<ChangedFiles> {
    this.#changed ??= findChangedFiles(this.#commits, this.#subject)
    return this.#changed
  }

  /** `onCandidates` is told how many there are before they are read. */
  async read(settings: RepositorySettings, onCandidates?: (count: number) => Promise<void>): Promise<ReadChange> {
    const changed = await this.changed()
    const candidates = selectCandidates(changed.paths, settings)
    await onCandidates?.(candidates.paths.length)
    const pinning = changed.paths.filter(isVersionFile).slice(0, MAX_VERSION_FILES)
    const read =
      candidates.paths.length + pinning.length === 0 ? [] : await this.head.read([...candidates.paths, ...pinning])
    const readings = read.slice(0, candidates.paths.length)
    const own = filesIn(readings)
    const affected = await this.#affected(changed, own, settings)
    const files = [...own, ...affected.files]
    const named = await readNamed(this.#engine, files, settings, this.head)
    const remarks = [...changed.remarks, ...candidates.remarks, ...remarksOn(readings), ...affected.remarks]
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

  /** One file of the change by its path, with nothing listed before it is asked for. */
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

  /** Where every file is looked at, no config is left to be found. */
  async #affected(
    changed: ChangedFiles,
    files: readonly SourceFile[],
    settings: RepositorySettings,
  ): Promise<AffectedConfigs> {
    if (this.#subject.kind === 'tree') return { files: [], formerVersions: new Map(), remarks: [] }
    return this.#engine.affectedConfigs({ paths: changed.paths, removed: changed.removed, files }, settings, {
      list: async () => [...(await this.head.tree()).entries.keys()],
      read: async paths => filesIn(await this.head.read(paths)),
      // With the configs themselves, which a verdict that hangs on other versions will ask for.
      readBefore: async paths => {
        const before = await this.#readBefore(changed, [...paths, ...files.map(({ path }) => path)])
        return before.filter(({ path }) => paths.includes(path))
      },
    })
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

  /** `paths`: of the configs and of what they name. */
  #before({ formerPaths }: ChangedFiles, paths: readonly string[]): Pick<ReadChange, 'base' | 'baseBlobSha'> {
    const subject = this.#subject
    if (subject.kind === 'tree') return { base: async () => undefined, baseBlobSha: async () => undefined }
    const base = this.#commits.at(subject.baseSha)
    const before = (path: string) => formerPaths.get(path) ?? path
    let read: Promise<unknown> | undefined
    // One config's base is wanted because of its verdict, and then others' are, too. What it named before is mostly what it names
    // now; the rest is read when it is asked for. A config is not read here: the engine waits for this answer.
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

/** Reads together what configs will ask for one by one, and tells the paths. */
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
