/** Versions of the libraries that a training runs on: what they allocate differs between releases. */
import * as z from 'zod'

/** Libraries whose version decides something of a step's memory. */
export const versionedLibraries = [
  'torch',
  'transformers',
  'accelerate',
  'bitsandbytes',
  'trl',
  'flash-linear-attention',
] as const
export type VersionedLibrary = (typeof versionedLibraries)[number]

/** `4.48.1`, or `4.48` for any of its patches. */
export const libraryVersion = z
  .string('a version in quotes, such as "4.48.1"')
  .regex(/^\d{1,4}(\.\d{1,5}){0,3}$/, 'a version, such as "4.48.1"')

/** Only those that are known; for what is absent stands `releaseTaken`. */
export const libraryVersions = z.partialRecord(
  z.enum(versionedLibraries),
  libraryVersion,
  'a list of versions by library, such as transformers: "4.48.1"',
)
export type LibraryVersions = z.infer<typeof libraryVersions>

/** The releases from which on something of a step's memory is different, in their order. What `isBefore` asks about stands here. */
export const decisiveReleases = {
  torch: ['1.11', '2.0', '2.1', '2.2', '2.8', '2.14'],
  transformers: ['4.27', '4.30', '4.32', '4.36', '4.39', '4.46', '4.49', '4.52', '4.53', '4.54', '5.0', '5.4', '5.13'],
  accelerate: ['1.15'],
  bitsandbytes: ['0.43.2'],
  trl: [
    '0.14',
    '0.15',
    '0.17',
    '0.19',
    '0.22',
    '0.25',
    '0.26',
    '0.27',
    '0.28',
    '0.29',
    '1.0',
    '1.4',
    '1.6',
    '1.7',
    '1.10',
  ],
  // Any of its releases: whether it is installed at all is what decides.
  'flash-linear-attention': ['0.2'],
} as const satisfies Readonly<Record<VersionedLibrary, readonly string[]>>
export type DecisiveRelease<Library extends VersionedLibrary> = (typeof decisiveReleases)[Library][number]

/** Stands for a library that is not installed. */
const NOT_INSTALLED = '0'

/**
 * Whether the others run without a library: nobody has it where no file names it. transformers runs gated delta nets in PyTorch's own
 * ops without flash-linear-attention.
 */
export function isOptional(library: VersionedLibrary): boolean {
  return library === 'flash-linear-attention'
}

/**
 * What stands for a library of which no version is known: its newest release, but PyTorch 2.13, the last that holds the scores of grouped
 * heads without a flash kernel (pytorch#191085), since nobody should count on a release that may not be installed.
 */
export function releaseTaken(library: VersionedLibrary): string {
  if (isOptional(library)) return NOT_INSTALLED
  return library === 'torch' ? '2.13' : (decisiveReleases[library].at(-1) ?? NOT_INSTALLED)
}

/** Whether a library is known to be older than a release. */
export function isBefore<Library extends VersionedLibrary>(
  versions: LibraryVersions | undefined,
  library: Library,
  release: DecisiveRelease<Library>,
): boolean {
  const version = versions?.[library]
  return version !== undefined && compareVersions(version, release) < 0
}

/** Negative if `left` is the older one. Missing parts count as zero. */
export function compareVersions(left: string, right: string): number {
  const [ours, theirs] = [left, right].map(version => version.split('.').map(Number))
  for (let part = 0; part < Math.max(ours?.length ?? 0, theirs?.length ?? 0); part++) {
    const difference = (ours?.[part] ?? 0) - (theirs?.[part] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
