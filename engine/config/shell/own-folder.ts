/**
 * How a shell script says the folder that it stands in, or one beside it: `$(cd "$(dirname "$0")/.." && pwd)`. That much is known
 * without running anything.
 */
import { posix } from 'node:path'

const scriptItself = String.raw`"?\$(?:0|\{0\}|BASH_SOURCE|\{BASH_SOURCE(?:\[0\])?(?::-\$\{?0\}?)?\})"?`
const resolved = String.raw`(?:"?\$\(\s*(?:realpath|readlink\s+-f)\s+(?:--\s+)?${scriptItself}\s*\)"?|${scriptItself})`
const itsFolder = String.raw`\$\(\s*dirname\s+(?:--\s+)?${resolved}\s*\)`
const variable = String.raw`\$(?:\{(\w+)\}|(\w+))`

const folder = new RegExp(`^${itsFolder}$`)
const changed = new RegExp(
  String.raw`^\$\(\s*(?:CDPATH=\s+)?cd\s+(?:--\s+|-P\s+)?"?(?:(${itsFolder})|${variable})"?((?:/[\w.-]+)*)/?"?\s*(?:&?>\s*/dev/null\s*)?(?:2>&1\s*)?(?:&&|;)\s*pwd(?:\s+-P)?\s*\)$`,
)
const working = /^\$\(\s*pwd(?:\s+-[LP])?\s*\)$/
const changesFolder = /(?:^|[\n;&|(])[ \t]*(?:cd|pushd|popd)\b/

/** Where a script changes folders first, outside of `$(cd … && pwd)` too; beyond its end where it does not. */
export function firstChange(text: string): number {
  const at = text.search(changesFolder)
  return at < 0 ? Number.POSITIVE_INFINITY : at
}

/** `$(pwd)`, which is where the script is started: mostly the root of the repository. */
export function isWorkingFolder(substitution: string): boolean {
  return working.test(substitution)
}

const topLevel = /^\$\(\s*git\s+rev-parse\s+--show-toplevel\s*\)$/

/**
 * The folder, from the repository's root, that a command substitution of the script at `path` stands for; undefined for any other
 * one. `valueNamed`: what a variable is for certain.
 */
export function ownFolder(
  substitution: string,
  path: string,
  valueNamed: (name: string) => string | undefined,
): string | undefined {
  const here = posix.dirname(path)
  if (folder.test(substitution)) return here
  if (topLevel.test(substitution)) return '.'
  const [, own, braced, plain, below = ''] = changed.exec(substitution) ?? []
  const name = braced ?? plain
  const start = own === undefined ? name && valueNamed(name) : here
  if (start === undefined || start === '' || start.startsWith('/')) return undefined
  const found = posix.normalize(`${start}${below}`)
  return found === '..' || found.startsWith('../') ? undefined : found
}
