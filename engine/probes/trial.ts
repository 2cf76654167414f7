/** One batch size tried, and what came of it. */
import * as z from 'zod'
import { batchSize } from '../config/spec.ts'
import { problem } from '../errors.ts'

const bytes = z.number().min(0).max(1e18)

/** How a figure is known. It travels with every number to the last pixel. */
export const provenance = z.enum(['measured', 'traced', 'estimated'])
export type Provenance = z.infer<typeof provenance>

export const outcome = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('fits'),
    peakBytes: bytes,
    /** What the caching allocator held at most, cached blocks included; absent where nobody replayed or measured it. */
    reservedBytes: bytes.optional(),
    stepMillis: z.number().min(0).optional(),
  }),
  /** `neededBytes`: the peak that the step would have had, where the probe can know it. */
  z.object({ kind: z.literal('out-of-memory'), neededBytes: bytes.optional() }),
  z.object({ kind: z.literal('timed-out'), afterMillis: z.number().min(0) }),
  z.object({ kind: z.literal('failed'), problem }),
])
export type Outcome = z.infer<typeof outcome>

export const trial = z.object({ microBatch: batchSize, provenance, outcome })
export type Trial = z.infer<typeof trial>
