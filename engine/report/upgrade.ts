/** What other library versions do to a config's memory, when a change pins other versions. */
import * as z from 'zod'
import { libraryVersion, versionedLibraries } from '../training/versions.ts'

const bytes = z.number().min(0).max(1e18)
const text = z.string().max(500)

/** The peak of the config's own batch, estimated. */
const estimatedPeak = z.object({ peakBytes: bytes, fits: z.boolean() })

/** The peak of the same batch through PyTorch's own graph. */
const tracedPeak = z.object({
  peakBytes: bytes,
  /** Versions behind it: `torch 2.13.0, transformers 5.18.0`. */
  software: text,
})
export type TracedPeak = z.infer<typeof tracedPeak>

export const upgrade = z.object({
  libraries: z
    .array(
      z.object({
        library: z.enum(versionedLibraries),
        /** Absent if no file names a version; the newest is then assumed. */
        before: libraryVersion.optional(),
        after: libraryVersion.optional(),
        /** The file and line that pin the version now; absent if none does. */
        at: z.object({ path: z.string().max(4_096), line: z.number().int().min(1) }).optional(),
      }),
    )
    .min(1)
    .max(versionedLibraries.length),
  before: estimatedPeak,
  after: estimatedPeak,
  /** Present where a sweep had an environment with the versions before the change, too. */
  traced: z.object({ before: tracedPeak, after: tracedPeak }).optional(),
  /** The releases that move the peak; empty if it stays within `SAME_PEAK`. */
  causes: z
    .array(
      z.object({
        library: z.enum(versionedLibraries),
        /** The first release that behaves so. */
        release: libraryVersion,
        /** Change of the peak in bytes; negative if it shrinks. */
        deltaBytes: z.number().min(-1e18).max(1e18),
        /** What the step does differently with the new version, one clause each. */
        why: z.array(text).min(1).max(10),
      }),
    )
    .max(20),
  /** Known faults of the new version that no estimate contains, one sentence each. */
  warnings: z.array(text).max(5),
})
export type Upgrade = z.infer<typeof upgrade>

/** Share of the peak below which a change is negligible. */
const SAME_PEAK = 0.01

/**
 * Whether the upgrade is worth reporting: the peak changes, or whether it fits, or the new version has a known fault.
 */
export function isMoved({ before, after, traced, warnings }: Upgrade): boolean {
  const isSame = isSamePeak(before.peakBytes, after.peakBytes)
  const isSameTraced = traced === undefined || isSamePeak(traced.before.peakBytes, traced.after.peakBytes)
  return !isSame || !isSameTraced || before.fits !== after.fits || warnings.length > 0
}

export function isSamePeak(before: number, after: number): boolean {
  return Math.abs(after - before) < SAME_PEAK * before
}
