/** Files on disk, as the paths of a command line name them. */
import { lstat, readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isCandidatePath } from '../config/read.ts'
import type { SourceFile } from '../config/reading.ts'
import { MemoryMarkError } from '../errors.ts'
import { MIB } from '../units.ts'

/** The config reader already refuses far smaller files; a file above this size found in a directory is data, not a config. */
const MAX_WALKED_BYTES = 16 * MIB

/** Directories that hold other people's files. */
const skippedDirectories = new Set(['node_modules', '.git', '.venv', 'venv', '__pycache__', 'site-packages'])

export interface FoundFiles {
  /** Named by the user, whatever their names. */
  readonly named: readonly SourceFile[]
  /** Found in a named directory: candidates by file name only. */
  readonly found: readonly SourceFile[]
}

/** Symbolic links are not followed, so the walk terminates. */
export async function findFiles(paths: readonly string[]): Promise<FoundFiles> {
  const named: SourceFile[] = []
  const found = new Map<string, SourceFile>()
  for (const path of paths) {
    if (await isDirectory(path)) {
      for await (const file of walk(path)) found.set(file.path, file)
    } else {
      named.push(await read(path))
    }
  }
  return { named, found: [...found.values()] }
}

async function* walk(directory: string): AsyncGenerator<SourceFile> {
  const entries = await readdir(directory, { withFileTypes: true })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, entry.name)
    if (entry.isDirectory() && !skippedDirectories.has(entry.name)) yield* walk(path)
    else if (entry.isFile() && isCandidatePath(display(path)) && (await lstat(path)).size <= MAX_WALKED_BYTES) {
      yield await read(path)
    }
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
        fix: 'Check the path; it is relative to the working directory.',
      },
      { cause: error },
    )
  }
}

async function read(path: string): Promise<SourceFile> {
  return { path: display(path), text: await readFile(path, 'utf8') }
}

function display(path: string): string {
  return relative('', path).split(sep).join('/') || path
}
