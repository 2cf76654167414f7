/** Where what a training config names is looked for: its model, and DeepSpeed's settings in a file of their own. */
import { posix } from 'node:path'
import type { Hub } from '../models/hub.ts'
import type { SourceFile } from './reading.ts'

export interface Sources {
  /** A text file by its `/`-separated path, relative to the repository; undefined when there is none. */
  readonly readFile?: (path: string) => Promise<string | undefined>
  /** Names of the files directly in a folder, by its path; `.` is the repository's root. None where there is no such folder. */
  readonly listFolder?: (path: string) => Promise<readonly string[]>
  /** Absent when the network is not to be used. */
  readonly hub?: Hub
}

/** As a report takes it. */
const MAX_NAME_CHARACTERS = 200

/** Control and invisible characters stand in no path and no id, and would go into a terminal with the name. */
export function isPlausibleName(name: string): boolean {
  return name.length <= MAX_NAME_CHARACTERS && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name)
}

/** Training runs from the repository's root, or from where its config stands. */
export function placesOf(file: string, configPath: string): readonly string[] {
  return [...new Set([posix.normalize(file), posix.join(posix.dirname(configPath), file)])]
}

/** Folders of a repository in which a project may stand, as many as are looked into. */
const MAX_ABOVE = 4

/** As `placesOf`, and in the folders above the config: a repository may hold a project, and training runs from that project's root. */
export function placesInProject(file: string, configPath: string): readonly string[] {
  const places = placesOf(file, configPath)
  if (/^\.\.(?:\/|$)|^\//.test(posix.normalize(file)) || /^(?:\.\.)?\//.test(configPath)) return places
  const folders = posix.dirname(posix.normalize(configPath)).split('/')
  const above = folders.slice(1).map((_, index) => folders.slice(0, -1 - index).join('/'))
  return [...new Set([...places, ...above.slice(0, MAX_ABOVE).map(folder => posix.join(folder, file))])]
}

/**
 * A launcher runs from the folder above its own too, as those in a project's `scripts` do. Of a path from the root of somebody's
 * machine, the end is one in the repository. `folder`: that it changes to first, where that is one in the repository.
 */
export function placesFromLauncher(file: string, launcherPath: string, folder?: string): readonly string[] {
  if (file.startsWith('/')) return endsOf(file)
  if (folder !== undefined) {
    const within = placesFromLauncher(posix.join(folder, file), launcherPath)
    return [...new Set([...within, ...placesFromLauncher(file, launcherPath)])]
  }
  const above = posix.join(posix.dirname(launcherPath), '..')
  return [...new Set([...placesOf(file, launcherPath), ...(above.startsWith('..') ? [] : [posix.join(above, file)])])]
}

/** Folders of a repository that a path may end in, with the file. */
const MAX_END = 4

/** The longest first; a file alone could be any of its name. */
function endsOf(path: string): readonly string[] {
  const parts = posix.normalize(path).split('/').filter(Boolean)
  const from = Math.max(1, parts.length - MAX_END)
  return parts.slice(from, -1).map((_, index) => parts.slice(from + index).join('/'))
}

/** The first of them that there is. */
export async function firstFile(
  places: readonly string[],
  { readFile }: Pick<Sources, 'readFile'>,
): Promise<SourceFile | undefined> {
  for (const path of places) {
    const text = await readFile?.(path)
    if (text !== undefined) return { path, text }
  }
  return undefined
}

/** The same sources, and, as they are asked, the files that there were. */
export function notingFiles(sources: Sources): { readonly sources: Sources; readonly files: readonly SourceFile[] } {
  const { readFile } = sources
  if (readFile === undefined) return { sources, files: [] }
  const files: SourceFile[] = []
  const noting = async (path: string) => {
    const text = await readFile(path)
    if (text !== undefined) files.push({ path, text })
    return text
  }
  return { sources: { ...sources, readFile: noting }, files }
}

/** Asks for no file and no folder twice. */
export function askingOnce(sources: Sources): Sources {
  const { readFile, listFolder } = sources
  return {
    ...sources,
    ...(readFile && { readFile: once(readFile) }),
    ...(listFolder && { listFolder: once(listFolder) }),
  }
}

function once<T>(ask: (path: string) => Promise<T>): (path: string) => Promise<T> {
  const asked = new Map<string, Promise<T>>()
  return path => {
    const answer = asked.get(path) ?? ask(path)
    asked.set(path, answer)
    return answer
  }
}
