/** One requirement as pip, Poetry, Pipenv and conda write it: `transformers[torch]>=4.40,<4.47; python_version >= "3.9"`. */
import { compareVersions, isOptional, type VersionedLibrary, versionedLibraries } from '../../training/versions.ts'

/** Which releases of a library a requirement allows. */
export interface Requirement {
  readonly library: VersionedLibrary
  /** `exact`: one release, or the patches of one. */
  readonly kind: 'exact' | 'range'
  /** The newest release that it allows; absent where nothing keeps it from being the newest of all. */
  readonly version?: string
  /** The oldest release that a range allows, where it says so. */
  readonly atLeast?: string
  /** The versions as written. */
  readonly written: string
}

/** Longer lines are no requirements that anybody typed. */
const MAX_CHARACTERS = 1_000
const MAX_WRITTEN_CHARACTERS = 60

/** The last minor release of each major one, for requirements such as `<5`. */
const lastMinors: Readonly<Record<VersionedLibrary, readonly (readonly [major: number, minor: number])[]>> = {
  torch: [
    [0, 4],
    [1, 13],
    [2, 14],
  ],
  transformers: [
    [2, 11],
    [3, 5],
    [4, 57],
    [5, 18],
  ],
  accelerate: [
    [0, 34],
    [1, 15],
  ],
  bitsandbytes: [[0, 50]],
  trl: [
    [0, 29],
    [1, 10],
  ],
  'flash-linear-attention': [[0, 5]],
}

/** Undefined for text that is not a requirement, or for a library whose version does not matter. */
export function parseRequirement(text: string): Requirement | undefined {
  const match = /^([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?(.*)$/s.exec(text.slice(0, MAX_CHARACTERS).trim())
  const library = match?.[1] === undefined ? undefined : libraryNamed(match[1])
  return library && requirementOf(library, match?.[2] ?? '')
}

/** As package indexes compare names: without case, and with `-`, `_` and `.` alike. */
export function libraryNamed(name: string): VersionedLibrary | undefined {
  const normalised = name.toLowerCase().replaceAll(/[_.]/g, '-')
  // conda's package.
  if (normalised === 'pytorch') return 'torch'
  // The package of its kernels, which it asks for.
  if (normalised === 'fla-core') return 'flash-linear-attention'
  return versionedLibraries.find(library => library === normalised)
}

/** `versions`: what stands behind the name, such as `>=4.40,<4.47` or `@ git+https://…@v4.46.3`. */
export function requirementOf(library: VersionedLibrary, versions: string): Requirement {
  const clean = versions.slice(0, MAX_CHARACTERS).trim()
  if (clean.startsWith('@')) return directReference(library, clean)
  const [said = ''] = clean.split(/;| #| --|\\$/, 1)
  const written = said.trim().replace(/^\((.*)\)$/, '$1')
  const bounds = written.split(',').flatMap(each => boundOf(library, each.trim()) ?? [])
  const exact = bounds.find(({ isExact }) => isExact)
  const upper = bounds.flatMap(({ upper = [] }) => upper).toSorted(compareVersions)[0]
  const atLeast = bounds
    .flatMap(({ lower = [] }) => lower)
    .toSorted(compareVersions)
    .at(-1)
  const version = upper ?? newestOfOptional(library)
  return {
    library,
    kind: exact === undefined ? 'range' : 'exact',
    ...(version !== undefined && { version }),
    ...(atLeast !== undefined && { atLeast }),
    written: written.slice(0, MAX_WRITTEN_CHARACTERS),
  }
}

/** A tag names a release, as does a wheel; a branch is taken to be the newest. */
function directReference(library: VersionedLibrary, written: string): Requirement {
  const tag = /@v?(\d{1,4}(?:\.\d{1,5}){1,3})(?:$|[#\s;])/.exec(written) ?? /-(\d{1,4}(?:\.\d{1,5}){1,3})/.exec(written)
  const version = tag?.[1]
  if (version !== undefined) return { library, kind: 'exact', version, written: `==${version}` }
  const newest = newestOfOptional(library)
  return { library, kind: 'range', ...(newest !== undefined && { version: newest }), written: 'a branch or commit' }
}

/** A library that no version stands for is not installed if it is optional, so the newest needs a number. */
function newestOfOptional(library: VersionedLibrary): string | undefined {
  return isOptional(library) ? lastMinors[library].at(-1)?.join('.') : undefined
}

interface Bound {
  readonly isExact?: true
  /** The newest release allowed. */
  readonly upper?: string
  readonly lower?: string
}

/** `>=4.40`. Undefined for what bounds nothing, such as `*` and `!=4.41`. */
function boundOf(library: VersionedLibrary, written: string): Bound | undefined {
  const match = /^([=<>~^!]{0,3})\s*v?(\d{1,4}(?:\.\d{1,5}){0,3})(\.\*)?/.exec(written)
  const [, operator = '', version = '', wildcard] = match ?? []
  if (version === '') return undefined
  const parts = version.split('.')
  switch (operator) {
    case '==':
    case '===':
    case '=':
      return wildcard === undefined && (operator !== '=' || parts.length > 2)
        ? { isExact: true, upper: version }
        : withPrefix(library, parts)
    case '~=':
      return { ...withPrefix(library, parts.slice(0, -1)), lower: version }
    // Poetry's.
    case '~':
      return { ...withPrefix(library, parts.slice(0, 2)), lower: version }
    case '^': {
      const fixed = parts[0] === '0' ? 2 : 1
      return { ...withPrefix(library, parts.slice(0, fixed)), lower: version }
    }
    case '<':
      return upTo(newestBefore(library, version))
    case '<=':
      return { upper: version }
    case '>=':
    case '>':
      return { lower: version }
    case '':
      // Poetry takes a bare version for an exact one.
      return wildcard === undefined ? { isExact: true, upper: version } : withPrefix(library, parts)
    default:
      return undefined
  }
}

/** Releases that begin with these parts: `4.46` stands for any of its patches, `4` for its last minor release. */
function withPrefix(library: VersionedLibrary, parts: readonly string[]): Bound {
  if (parts.length > 1) return { isExact: true, upper: parts.join('.') }
  return upTo(newestBefore(library, String(Number(parts[0] ?? '0') + 1)))
}

function upTo(upper: string | undefined): Bound {
  return upper === undefined ? {} : { upper }
}

/** The newest release below another, as far as releases are known. */
function newestBefore(library: VersionedLibrary, release: string): string | undefined {
  const [major = 0, minor = 0, patch = 0] = release.split('.').map(Number)
  if (patch > 0) return `${major}.${minor}.${patch - 1}`
  if (minor > 0) return `${major}.${minor - 1}`
  const last = lastMinors[library].findLast(([known]) => known < major)
  return last?.join('.')
}
