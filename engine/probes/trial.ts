/** One batch size tried, and what came of it. */
import * as z from 'zod'
import { batchSize } from '../config/batch-size.ts'
import type { TrainingSpec } from '../config/spec.ts'
import { problem } from '../errors.ts'

const bytes = z.number().min(0).max(1e18)

/** How a figure was obtained. It accompanies every number up to the display. */
export const provenance = z.enum(['measured', 'traced', 'estimated'])
export type Provenance = z.infer<typeof provenance>

export const outcome = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('fits'),
    /** Absent if the device does not count it: the CPU. */
    peakBytes: bytes.optional(),
    /** Half the distance between the highest and the lowest peak of the steps; absent if only one step counts. */
    peakBytesSpread: bytes.optional(),
    /** As `peakBytes`, without what the allocator's blocks hold beyond what was asked for. */
    requestedBytes: bytes.optional(),
    /** What the caching allocator held at most, cached blocks included. */
    reservedBytes: bytes.optional(),
    /** Forward and backward of one micro-batch and one optimizer step: the median of the timed steps. */
    stepMillis: z.number().min(0).optional(),
    /** Half the distance between the fastest and the slowest timed step; absent when fewer than two were timed. */
    stepMillisSpread: z.number().min(0).optional(),
    /** The optimizer's part of `stepMillis`. */
    optimizerMillis: z.number().min(0).optional(),
    /** Kernels that scaled_dot_product_attention took; absent where no call of it was seen. */
    attention: z.array(z.string().max(40)).max(10).optional(),
  }),
  /** `neededBytes`: the peak that the step would have had, where the probe can know it. */
  z.object({ kind: z.literal('out-of-memory'), neededBytes: bytes.optional() }),
  z.object({ kind: z.literal('timed-out'), afterMillis: z.number().min(0) }),
  z.object({ kind: z.literal('failed'), problem }),
])
export type Outcome = z.infer<typeof outcome>

/** The bytes that the step takes or would take, if the probe knows. */
export function peakOf(outcome: Outcome): number | undefined {
  switch (outcome.kind) {
    case 'fits':
      return outcome.peakBytes
    case 'out-of-memory':
      return outcome.neededBytes
    case 'timed-out':
    case 'failed':
      return undefined
  }
}

/** Whether the trial failed for a reason unrelated to the size. */
export function isBroken(outcome: Outcome): boolean {
  return outcome.kind === 'failed' || outcome.kind === 'timed-out'
}

export const trial = z.object({
  microBatch: batchSize,
  /** It ran beside the gradients of an earlier micro-batch, as all but the first do where gradients accumulate. */
  accumulates: z.literal(true).optional(),
  provenance,
  outcome,
})
export type Trial = z.infer<typeof trial>

/** What a trial runs of a spec. Every micro-batch after the first is like the second, so two stand for any number. */
export function trialSpec(spec: TrainingSpec, microBatch: number, accumulates: boolean): TrainingSpec {
  return { ...spec, microBatch, gradientAccumulation: accumulates ? 2 : 1 }
}
