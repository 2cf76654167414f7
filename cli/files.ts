/** Finds and reads the files that a command's arguments name. */
import { lstatSync, readFileSync } from 'node:fs'
import { lstat, open, readdir, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { didYouMean } from '../engine/base/did-you-mean.ts'
import { MemoryMarkError } from '../engine/base/errors.ts'
import { MAX_CONFIG_BYTES } from '../engine/base/limits.ts'
import { MIB } from '../engine/base/units.ts'
import { isCandidatePath } from '../engine/config/candidate-path.ts'
import type { SourceFile } from '../engine/config/reading.ts'
import { namedLine } from '../engine/config/training-place.ts'
import { isPlainLine } from '../engine/render/plain.ts'
import { complain, onOneLine } from './print.ts'

/** Far above any config. A larger file is data and is not read. */
const MAX_FILE_BYTES = 16 * MIB

/** Names of a folder that are compared with a mistyped one. */
const MAX_NAMES = 1_000

/** Directories that hold other people's files. */
const skippedDirectories = new Set(['node_modules', '.git', '.venv', 'venv', '__pycache__', 'site-packages'])

export interface FoundFiles {
  /** Files named by the user, whatever their names. */
  readonly named: readonly SourceFile[]
  /** Candidates in named directories, by file name. Each is read when needed. */
  readonly found: AsyncIterable<SourceFile>
}

/** Those of the paths in directories that are to be read. */
export type Wanted = (paths: readonly string[]) => Promise<readonly string[]>

export async function findFiles(paths: readonly string[], wanted: Wanted = async found => found): Promise<FoundFiles> {
  const named: SourceFile[] = []
  const directories: string[] = []
  for (const path of paths) {
    const line = await trainingOn(path)
    if (line !== undefined) {
      const text = await orUnreadable(line.path, () => readCapped(line.path))
      named.push({ path: display(line.path), text, training: { line: line.line } })
    } else if (await isDirectory(path)) directories.push(path)
    else named.push({ path: display(path), text: await orUnreadable(path, () => readCapped(path)) })
  }
  return { named, found: filesIn(directories, wanted) }
}

/** The line in `train.py:41`, if that file exists and none with the full name does. */
export async function trainingOn(name: string): Promise<ReturnType<typeof namedLine>> {
  const named = namedLine(name)
  if (named === undefined || (await exists(name)) || !(await exists(named.path))) return undefined
  return named
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** Files read before yielding to the limited process, which asks this one for files that configs name. */
const FILES_AT_ONCE = 64

/** Paths of which is asked together whether they are wanted. */
const CANDIDATES_AT_ONCE = 1_000

/** Yields each file once. Reads synchronously, which is faster for thousands of small files. */
async function* filesIn(directories: readonly string[], wanted: Wanted): AsyncGenerator<SourceFile> {
  let count = 0
  const misnamed = new Set<string>()
  for await (const places of candidatesIn(directories, misnamed)) {
    for (const shown of await wanted([...places.keys()])) {
      count += 1
      if (count % FILES_AT_ONCE === 0) await setImmediate()
      const path = places.get(shown) ?? shown
      const text = await orUnreadable(path, () => readSmall(path))
      if (text !== undefined) yield { path: shown, text }
    }
  }
  if (misnamed.size > 0) {
    const [first = ''] = misnamed
    const more = misnamed.size > 1 ? ` and ${misnamed.size - 1} more` : ''
    complain(`${onOneLine(display(first))}${more} cannot be read, because the name is not UTF-8. Rename it.`)
  }
}

/** Where each candidate is, by the path that is shown; some at a time. */
async function* candidatesIn(
  directories: readonly string[],
  misnamed: Set<string>,
): AsyncGenerator<ReadonlyMap<string, string>> {
  const known = new Set<string>()
  let places = new Map<string, string>()
  for (const directory of directories) {
    for await (const path of walk(directory, misnamed)) {
      const shown = display(path)
      if (known.has(shown) || !isCandidatePath(shown)) continue
      known.add(shown)
      places.set(shown, path)
      if (places.size < CANDIDATES_AT_ONCE) continue
      yield places
      places = new Map()
    }
  }
  yield places
}

function readSmall(path: string): string | undefined {
  return lstatSync(path).size <= MAX_FILE_BYTES ? readFileSync(path, 'utf8') : undefined
}

/** Does not follow symbolic links, so that it terminates. Names that stand for no file here are added to `misnamed`. */
async function* walk(directory: string, misnamed: Set<string>): AsyncGenerator<string> {
  const entries = await orUnreadable(directory, () => readdir(directory, { withFileTypes: true }))
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, entry.name)
    // What is not UTF-8 in a name has been replaced by this character.
    if (entry.name.includes('\ufffd') && !(await exists(path))) misnamed.add(path)
    else if (entry.isDirectory() && !skippedDirectories.has(entry.name)) yield* walk(path, misnamed)
    else if (entry.isFile()) yield path
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory()
  } catch (error) {
    throw new MemoryMarkError(
      {
        code: 'no-such-file',
        file: path,
        message: 'no such file or directory',
        fix: didYouMean(path, await besides(path), 'Check the path; it is relative to the working directory.'),
      },
      { cause: error },
    )
  }
}

/** Other names in the folder of a path, for suggestions. */
async function besides(path: string): Promise<string[]> {
  const names = await readdir(dirname(path)).catch(() => [])
  const shown = names.slice(0, MAX_NAMES).filter(name => isPlainLine(name))
  return shown.map(name => join(dirname(path), name))
}

/** Turns a system error, such as a broken link or missing permission, into a MemoryMarkError that names the file. */
async function orUnreadable<T>(path: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof MemoryMarkError || !(error instanceof Error && 'code' in error)) throw error
    throw new MemoryMarkError(
      {
        code: 'file-unreadable',
        file: display(path),
        message: `it cannot be read (${error.code})`,
        fix: 'Check its permissions and, if it is a link, where it leads; or name the paths to check.',
      },
      { cause: error },
    )
  }
}

export interface SizeLimit {
  readonly bytes: number
  /** What to do with a larger file. */
  readonly fix: string
}

const limitOfConfigs: SizeLimit = {
  bytes: MAX_FILE_BYTES,
  fix: `Move data out of the config: training configs are read up to ${MAX_CONFIG_BYTES / 1_000} kB.`,
}

/** Reads a file named by the user, which may be a pipe of unknown size. */
export async function readCapped(path: string, limit = limitOfConfigs): Promise<string> {
  await using file = await open(path)
  if ((await file.stat()).size > limit.bytes) throw tooLarge(path, limit)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of file.createReadStream({ autoClose: false, end: limit.bytes })) {
    chunks.push(chunk)
    bytes += chunk.length
  }
  if (bytes > limit.bytes) throw tooLarge(path, limit)
  return Buffer.concat(chunks).toString('utf8')
}

/** A file that is part of a change, which somebody else may have written: of a link or a pipe, nothing is read. */
export async function readRegular(path: string): Promise<string | undefined> {
  return (await lstat(path)).isFile() ? readCapped(path) : undefined
}

function tooLarge(file: string, { bytes, fix }: SizeLimit): MemoryMarkError {
  const message = `the file is larger than ${bytes / MIB} MiB`
  return new MemoryMarkError({ code: 'file-too-large', file, message, fix })
}

function display(path: string): string {
  return relative('', path).split(sep).join('/') || path
}
