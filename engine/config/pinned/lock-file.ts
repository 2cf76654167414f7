/**
 * The releases in a lock file, line by line, since tools write one key a line: uv.lock, poetry.lock, pdm.lock and pylock.toml
 * (`name = "torch"`), conda-lock.yml and pixi.lock (`name: torch`), Pipfile.lock (`"torch": {`). Takes time linear in its length.
 */
import { compareVersions, type VersionedLibrary } from '../../training/versions.ts'
import { libraryNamed, type Requirement } from './requirement.ts'

export interface OnLine {
  readonly requirement: Requirement
  /** 1-based. */
  readonly line: number
}

/** Longer ones are hashes and addresses. */
const MAX_LINE_CHARACTERS = 200

const nameLine = /^\s*(?:- )?(?:name\s*[=:]\s*"?([\w.-]+)"?|"([\w.-]+)":\s*\{)\s*$/
const versionLine = /^\s*"?version"?\s*[=:]\s*["']?(?:==)?v?(\d{1,4}(?:\.\d{1,5}){0,3})/
/** The next package's, or another of the same one's. */
const blockLine = /^\s*(?:\[|- |$|\})/

/** Of a library that is locked once for each platform, the newest. */
export function lockedVersions(text: string): readonly OnLine[] {
  const found = new Map<VersionedLibrary, OnLine>()
  let library: VersionedLibrary | undefined
  let line = 0
  for (const written of linesOf(text)) {
    line += 1
    if (written.length > MAX_LINE_CHARACTERS) continue
    const name = nameLine.exec(written)
    if (name !== null) {
      library = libraryNamed(name[1] ?? name[2] ?? '')
      continue
    }
    if (library === undefined) continue
    const version = versionLine.exec(written)?.[1]
    if (version !== undefined) {
      const known = found.get(library)?.requirement.version
      if (known === undefined || compareVersions(version, known) > 0)
        found.set(library, { requirement: { library, kind: 'exact', version, written: `==${version}` }, line })
      library = undefined
    } else if (blockLine.test(written)) library = undefined
  }
  return [...found.values()]
}

/** One after another, so that a large file is not held twice. */
export function* linesOf(text: string): Generator<string> {
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf('\n', start)
    const stop = end < 0 ? text.length : end
    yield text.slice(start, text[stop - 1] === '\r' ? stop - 1 : stop)
    start = stop + 1
  }
}
