/** The files of a folder by what their names tell. All configs of a folder ask for the same, so each list is looked through once. */
import { posix } from 'node:path'

type Names = readonly string[]

/** Calls `find` once for each list: `askingOnce` (sources.ts) has `listFolder` answer with the same one each time. */
export function oncePerList<T>(find: (paths: Names, folder: string) => T): (names: Names, folder: string) => T {
  const known = new WeakMap<Names, Map<string, T>>()
  return (names, folder) => {
    const ofList = known.get(names) ?? new Map<string, T>()
    known.set(names, ofList)
    const found =
      ofList.get(folder) ?? find(folder === '.' ? names : names.map(name => posix.join(folder, name)), folder)
    ofList.set(folder, found)
    return found
  }
}

/** The first `most` of them, one list after the other, each once. */
export function firstOf(lists: readonly Names[], most: number, leftOut?: string): Names {
  const first = new Set<string>()
  for (const list of lists) {
    for (const path of list) {
      if (first.size === most) return [...first]
      if (path !== leftOut) first.add(path)
    }
  }
  return [...first]
}
