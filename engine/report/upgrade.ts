/** What other versions of its libraries do to a config's memory, where a change gives it others. */
import * as z from 'zod'
import { libraryVersion, versionedLibraries } from '../config/versions.ts'

const bytes = z.number().min(0).max(1e18)
const text = z.string().max(500)

/** Of the config's own batch, estimated. */
const estimatedPeak = z.object({ peakBytes: bytes, fits: z.boolean() })

export const upgrade = z.object({
  libraries: z
    .array(
      z.object({
        library: z.enum(versionedLibraries),
        /** Absent where no file names a version, which is then taken to be the newest. */
        before: libraryVersion.optional(),
        after: libraryVersion.optional(),
        /** The file and line that decide now, where any do. */
        at: z.object({ path: z.string().max(4_096), line: z.number().int().min(1) }).optional(),
      }),
    )
    .min(1)
    .max(versionedLibraries.length),
  before: estimatedPeak,
  after: estimatedPeak,
  /** What moves the peak, release by release; none where it stays within `SAME_PEAK` of what it was. */
  causes: z
    .array(
      z.object({
        library: z.enum(versionedLibraries),
        /** The release from which on it is so. */
        release: libraryVersion,
        /** By which the peak grows, or shrinks where it is negative. */
        deltaBytes: z.number().min(-1e18).max(1e18),
        /** What the step does with the new version that it did not with the old, or no longer does; a clause each. */
        why: z.array(text).min(1).max(10),
      }),
    )
    .max(20),
  /** Known faults of the new version that no estimate contains, a sentence each. */
  warnings: z.array(text).max(5),
})
export type Upgrade = z.infer<typeof upgrade>

/** A share of the peak; less is nobody's decision. */
export const SAME_PEAK = 0.01

/** Whether the upgrade is anything to tell: the peak moves, or whether it fits does, or the new version has a known fault. */
export function isMoved({ before, after, warnings }: Upgrade): boolean {
  return !isSamePeak(before.peakBytes, after.peakBytes) || before.fits !== after.fits || warnings.length > 0
}

export function isSamePeak(before: number, after: number): boolean {
  return Math.abs(after - before) < SAME_PEAK * before
}
