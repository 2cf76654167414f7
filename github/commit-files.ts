/** Reads a repository's files at one commit as data, without a checkout. */
import { posix } from 'node:path'
import { MIB } from '../engine/base/units.ts'
import type { SourceFile } from '../engine/index.ts'
import { type Blob, queryBlobs } from './blob-batch.ts'
import { type GitHubClient, isUnknownCommit, type Repository, requestStatus } from './client.ts'
import type { KeptTexts } from './kept-texts.ts'
import { MAX_FILE_BYTES } from './single-file.ts'
import { readTree, type Tree, type TreeEntry } from './tree.ts'

/** Files in one query. GitHub answers within ten seconds or fails. */
const MAX_BATCH_FILES = 100
const MAX_BATCH_BYTES = 8 * MIB
/** If GitHub times out, the batch is halved at most this often. */
const MAX_SPLITS = 2

/** Bytes that GraphQL returns of a file: more than the engine reads. */
const QUERIED_BYTES = 512_000

/** Links to links are followed at most this often. */
const MAX_LINK_STEPS = 4

/** The limit for all texts together. */
const MAX_TOTAL_BYTES = 128 * MIB

export type FileReading =
  | { readonly kind: 'file'; readonly file: SourceFile; readonly blobSha: string }
  | { readonly kind: 'too-large' }
  /** The limit for all texts is reached. */
  | { readonly kind: 'too-much' }
  /** Binary, a submodule or a folder. */
  | { readonly kind: 'no-text' }
  | { readonly kind: 'absent' }

export interface CommitFilesOptions {
  readonly client: GitHubClient
  readonly repository: Repository
  readonly commitSha: string
  readonly kept: KeptTexts
}

export class CommitFiles {
  readonly commitSha: string
  readonly #options: CommitFilesOptions
  readonly #readings = new Map<string, FileReading>()
  #tree: Promise<Tree> | undefined
  #folders: Promise<ReadonlyMap<string, readonly string[]>> | undefined
  #bytes = 0

  constructor(options: CommitFilesOptions) {
    this.commitSha = options.commitSha
    this.#options = options
  }

  /** Requested once. Rejects if GitHub does not have the commit. */
  tree(): Promise<Tree> {
    const { client, repository, commitSha } = this.#options
    this.#tree ??= readTree(client, repository, commitSha)
    return this.#tree
  }

  /** False if GitHub does not have the commit. */
  async exists(): Promise<boolean> {
    try {
      await this.tree()
      return true
    } catch (error) {
      if (isUnknownCommit(error)) return false
      throw error
    }
  }

  /** Names of the files in a folder (`.` for the root), as far as GitHub lists them. */
  async listFolder(path: string): Promise<readonly string[]> {
    this.#folders ??= this.tree().then(filesByFolder)
    return (await this.#folders).get(path) ?? []
  }

  /** In the order of `paths`; each file is read once. */
  async read(paths: readonly string[]): Promise<readonly FileReading[]> {
    const unread = [...new Set(paths)].filter(path => !this.#readings.has(path))
    if (unread.length > 0) await this.#readAll(unread, MAX_LINK_STEPS)
    return paths.map(path => this.#readings.get(path) ?? absent)
  }

  /**
   * Undefined if there is no text file. For a file above the engine's limit, its beginning, which is above the limit
   * too.
   */
  async text(path: string): Promise<string | undefined> {
    await this.read([path])
    return this.textReadSoFar(path)
  }

  textReadSoFar(path: string): string | undefined {
    const reading = this.#readings.get(path)
    return reading?.kind === 'file' ? reading.file.text : undefined
  }

  /** Whether there may be a file that was not read. Beyond the end of a truncated list, this is unknown and true. */
  async isUnread(path: string): Promise<boolean> {
    if (this.#readings.has(path)) return false
    const { entries, isCut } = await this.tree()
    return isCut ? isInside(path) : entries.has(path)
  }

  /** Undefined if there is no file. */
  async blobSha(path: string): Promise<string | undefined> {
    const { entries, isCut } = await this.tree()
    const entry = entries.get(path)
    if (entry !== undefined) return entry.kind === 'submodule' ? undefined : entry.sha
    if (!isCut) return undefined
    const [reading] = await this.read([path])
    return reading?.kind === 'file' ? reading.blobSha : undefined
  }

  async #readAll(paths: readonly string[], linkSteps: number): Promise<void> {
    const { entries, isCut } = await this.tree()
    const wanted: Wanted[] = []
    for (const path of paths) {
      const entry = entries.get(path)
      if (entry === undefined && (!isCut || !isInside(path))) this.#readings.set(path, absent)
      else if (entry?.kind === 'submodule') this.#readings.set(path, { kind: 'no-text' })
      else if (entry !== undefined && entry.sizeBytes > MAX_FILE_BYTES) this.#readings.set(path, { kind: 'too-large' })
      else if (!this.#keepKnown(path, entry))
        wanted.push({ path, sizeBytes: Math.min(entry?.sizeBytes ?? 0, QUERIED_BYTES) })
    }
    const links: Link[] = []
    for (const batch of batchesOf(wanted)) {
      if (this.#bytes >= MAX_TOTAL_BYTES) for (const path of batch) this.#readings.set(path, { kind: 'too-much' })
      else links.push(...(await this.#readBatch(batch, MAX_SPLITS)))
    }
    if (links.length > 0) await this.#follow(links, linkSteps)
  }

  /** Reads the targets of links, one batch for each step. */
  async #follow(links: readonly Link[], steps: number): Promise<void> {
    const targets = links.map(({ path, target }) => posix.join(posix.dirname(path), target))
    const unread = [...new Set(targets)].filter(target => isInside(target) && !this.#readings.has(target))
    if (steps > 0 && unread.length > 0) await this.#readAll(unread, steps - 1)
    for (const [index, { path, target, sha }] of links.entries()) {
      const found = posix.isAbsolute(target) ? undefined : this.#readings.get(targets[index] ?? '')
      if (found?.kind === 'file')
        this.#readings.set(path, { kind: 'file', file: { ...found.file, path }, blobSha: sha })
      else this.#readings.set(path, found === undefined || found.kind === 'absent' ? { kind: 'no-text' } : found)
    }
  }

  #keepKnown(path: string, entry: TreeEntry | undefined): boolean {
    const text = entry && this.#options.kept.get(entry.sha)
    if (entry === undefined || text === undefined) return false
    this.#keep(path, text, entry.sha)
    return true
  }

  /** Returns the links in the batch, whose targets are yet to be read. */
  async #readBatch(paths: readonly string[], splits: number): Promise<readonly Link[]> {
    const { client, repository, commitSha } = this.#options
    let blobs: readonly Blob[]
    try {
      blobs = await queryBlobs(client, repository, commitSha, paths)
    } catch (error) {
      const status = requestStatus(error)
      if (splits === 0 || paths.length === 1 || (status !== 502 && status !== 504)) throw error
      const middle = Math.ceil(paths.length / 2)
      const first = await this.#readBatch(paths.slice(0, middle), splits - 1)
      return [...first, ...(await this.#readBatch(paths.slice(middle), splits - 1))]
    }
    return paths.flatMap((path, index) => {
      const blob = blobs[index] ?? absent
      if (blob.kind === 'link') return [{ path, target: blob.target, sha: blob.sha }]
      this.#keepBlob(path, blob)
      return []
    })
  }

  #keepBlob(path: string, blob: Exclude<Blob, { kind: 'link' }>): void {
    switch (blob.kind) {
      case 'text':
        this.#options.kept.set(blob.sha, blob.text)
        this.#keep(path, blob.text, blob.sha)
        return
      case 'beginning':
        this.#keepLarge(path, blob)
        return
      case 'no-text':
      case 'absent':
        this.#readings.set(path, { kind: blob.kind })
    }
  }

  /** The engine refuses a large file by its beginning too, so no more is read. */
  #keepLarge(path: string, { text, sha, sizeBytes }: Extract<Blob, { kind: 'beginning' }>): void {
    if (sizeBytes > MAX_FILE_BYTES) {
      this.#readings.set(path, { kind: 'too-large' })
      return
    }
    this.#bytes += text.length
    this.#readings.set(path, { kind: 'file', file: { path, text, sizeBytes }, blobSha: sha })
  }

  #keep(path: string, text: string, blobSha: string): void {
    this.#bytes += text.length
    this.#readings.set(path, { kind: 'file', file: { path, text }, blobSha })
  }
}

const absent = { kind: 'absent' } as const

interface Link {
  readonly path: string
  readonly target: string
  readonly sha: string
}

function filesByFolder({ entries }: Tree): ReadonlyMap<string, readonly string[]> {
  const folders = new Map<string, string[]>()
  for (const [path, { kind }] of entries) {
    if (kind === 'submodule') continue
    const folder = posix.dirname(path)
    const names = folders.get(folder) ?? []
    folders.set(folder, names)
    names.push(posix.basename(path))
  }
  return folders
}

interface Wanted {
  readonly path: string
  /** Bytes in GitHub's answer; 0 if unknown. */
  readonly sizeBytes: number
}

function batchesOf(wanted: readonly Wanted[]): readonly (readonly string[])[] {
  const batches: string[][] = []
  let bytes = 0
  for (const { path, sizeBytes } of wanted) {
    const batch = batches.at(-1)
    bytes += sizeBytes
    if (batch === undefined || batch.length === MAX_BATCH_FILES || bytes > MAX_BATCH_BYTES) {
      batches.push([path])
      bytes = sizeBytes
    } else batch.push(path)
  }
  return batches
}

/** The path may come from a model name in a config, which is untrusted. */
function isInside(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.split('/').includes('..')
}
