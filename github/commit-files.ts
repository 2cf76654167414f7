/** A repository's files at one commit, read as data: nothing is checked out, let alone run. */
import { MAX_CONFIG_BYTES, type SourceFile } from '../engine/index.ts'
import { MIB } from '../engine/units.ts'
import { type Blob, queryBlobs } from './blob-batch.ts'
import { type GitHubClient, isUnknownCommit, type Repository, requestStatus } from './client.ts'
import type { KeptTexts } from './kept-texts.ts'
import { MAX_FILE_BYTES, readBlob, readFileAt } from './single-file.ts'
import { readTree, type Tree, type TreeEntry } from './tree.ts'

/** Of one query. GitHub answers within ten seconds or not at all. */
const MAX_BATCH_FILES = 100
const MAX_BATCH_BYTES = 8 * MIB
/** GitHub fails where an answer takes it too long; half as many files may not. */
const MAX_SPLITS = 2

/** What GraphQL hands out of a file. */
const QUERIED_BYTES = 512_000

/** Files that take a request each: large ones, and links. */
const MAX_SINGLES = 20

/** Of all texts together. */
const MAX_TOTAL_BYTES = 128 * MIB

export type FileReading =
  | { readonly kind: 'file'; readonly file: SourceFile; readonly blobSha: string }
  | { readonly kind: 'too-large' }
  /** The reader has read as much as it may. */
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
  #singles = 0
  #bytes = 0

  constructor(options: CommitFilesOptions) {
    this.commitSha = options.commitSha
    this.#options = options
  }

  /** Asked for once. Rejects where GitHub does not have the commit. */
  tree(): Promise<Tree> {
    const { client, repository, commitSha } = this.#options
    this.#tree ??= readTree(client, repository, commitSha)
    return this.#tree
  }

  /** False where GitHub does not have the commit, or no longer has it. */
  async exists(): Promise<boolean> {
    try {
      await this.tree()
      return true
    } catch (error) {
      if (isUnknownCommit(error)) return false
      throw error
    }
  }

  /** In the order of `paths`; each is read once. */
  async read(paths: readonly string[]): Promise<readonly FileReading[]> {
    const unread = [...new Set(paths)].filter(path => !this.#readings.has(path))
    if (unread.length > 0) await this.#readAll(unread, await this.tree())
    return paths.map(path => this.#readings.get(path) ?? absent)
  }

  /** Undefined where there is no file with text. */
  async text(path: string): Promise<string | undefined> {
    const [reading] = await this.read([path])
    if (reading?.kind !== 'file') return undefined
    if (reading.file.sizeBytes !== undefined) await this.#keepWhole(path, reading.blobSha)
    return this.textReadSoFar(path)
  }

  textReadSoFar(path: string): string | undefined {
    const reading = this.#readings.get(path)
    return reading?.kind === 'file' && reading.file.sizeBytes === undefined ? reading.file.text : undefined
  }

  /** Whether there is, or may be, a file that was not read yet: beyond the end of a list that GitHub cut, nobody knows. */
  async isUnread(path: string): Promise<boolean> {
    if (this.#readings.has(path)) return false
    const { entries, isCut } = await this.tree()
    return isCut ? isInside(path) : entries.has(path)
  }

  /** Undefined where there is no file. */
  async blobSha(path: string): Promise<string | undefined> {
    const { entries, isCut } = await this.tree()
    const entry = entries.get(path)
    if (entry !== undefined) return entry.kind === 'submodule' ? undefined : entry.sha
    if (!isCut) return undefined
    const [reading] = await this.read([path])
    return reading?.kind === 'file' ? reading.blobSha : undefined
  }

  async #readAll(paths: readonly string[], { entries, isCut }: Tree): Promise<void> {
    const wanted: Wanted[] = []
    for (const path of paths) {
      const entry = entries.get(path)
      if (entry === undefined && (!isCut || !isInside(path))) this.#readings.set(path, absent)
      else if (entry?.kind === 'submodule') this.#readings.set(path, { kind: 'no-text' })
      else if (entry?.kind === 'link') await this.#keepLink(path, entry.sha)
      else if (entry !== undefined && entry.sizeBytes > MAX_FILE_BYTES) this.#readings.set(path, { kind: 'too-large' })
      else if (!this.#keepKnown(path, entry))
        wanted.push({ path, sizeBytes: Math.min(entry?.sizeBytes ?? 0, QUERIED_BYTES) })
    }
    for (const batch of batchesOf(wanted)) {
      if (this.#bytes >= MAX_TOTAL_BYTES) for (const path of batch) this.#readings.set(path, { kind: 'too-much' })
      else await this.#readBatch(batch, MAX_SPLITS)
    }
  }

  #keepKnown(path: string, entry: TreeEntry | undefined): boolean {
    const text = entry && this.#options.kept.get(entry.sha)
    if (entry === undefined || text === undefined) return false
    this.#keep(path, text, entry.sha)
    return true
  }

  async #readBatch(paths: readonly string[], splits: number): Promise<void> {
    const { client, repository, commitSha } = this.#options
    let blobs: readonly Blob[]
    try {
      blobs = await queryBlobs(client, repository, commitSha, paths)
    } catch (error) {
      const status = requestStatus(error)
      if (splits === 0 || paths.length === 1 || (status !== 502 && status !== 504)) throw error
      const middle = Math.ceil(paths.length / 2)
      await this.#readBatch(paths.slice(0, middle), splits - 1)
      await this.#readBatch(paths.slice(middle), splits - 1)
      return
    }
    for (const [index, path] of paths.entries()) await this.#keepBlob(path, blobs[index] ?? absent)
  }

  async #keepBlob(path: string, blob: Blob): Promise<void> {
    switch (blob.kind) {
      case 'text':
        this.#options.kept.set(blob.sha, blob.text)
        return this.#keep(path, blob.text, blob.sha)
      case 'beginning':
        return this.#keepLarge(path, blob)
      case 'link':
        return this.#keepLink(path, blob.sha)
      case 'no-text':
      case 'absent':
        this.#readings.set(path, { kind: blob.kind })
    }
  }

  /** What the engine refuses for its size, it refuses by its beginning too. */
  async #keepLarge(path: string, { text, sha, sizeBytes }: Extract<Blob, { kind: 'beginning' }>): Promise<void> {
    if (sizeBytes > MAX_FILE_BYTES) this.#readings.set(path, { kind: 'too-large' })
    else if (sizeBytes <= MAX_CONFIG_BYTES) await this.#keepWhole(path, sha)
    else {
      this.#bytes += text.length
      this.#readings.set(path, { kind: 'file', file: { path, text, sizeBytes }, blobSha: sha })
    }
  }

  async #keepWhole(path: string, sha: string): Promise<void> {
    const { client, repository } = this.#options
    if (this.#mayReadSingle(path)) this.#keep(path, await readBlob(client, repository, sha), sha)
  }

  /** A link is read as what it leads to. */
  async #keepLink(path: string, sha: string): Promise<void> {
    const { client, repository, commitSha } = this.#options
    if (!this.#mayReadSingle(path)) return
    const found = await readFileAt(client, repository, commitSha, path)
    if (found.kind === 'text') this.#keep(path, found.text, sha)
    else this.#readings.set(path, { kind: found.kind === 'too-large' ? 'too-large' : 'no-text' })
  }

  #mayReadSingle(path: string): boolean {
    if (this.#singles >= MAX_SINGLES || this.#bytes >= MAX_TOTAL_BYTES) {
      this.#readings.set(path, { kind: 'too-much' })
      return false
    }
    this.#singles += 1
    return true
  }

  #keep(path: string, text: string, blobSha: string): void {
    this.#bytes += text.length
    this.#readings.set(path, { kind: 'file', file: { path, text }, blobSha })
  }
}

const absent = { kind: 'absent' } as const

interface Wanted {
  readonly path: string
  /** Of the answer; 0 where nobody knows. */
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

/** A path may come from a config's model name, which is a stranger's text. */
function isInside(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.split('/').includes('..')
}
