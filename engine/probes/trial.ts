/** One batch size tried, and the outcome. */
import * as z from 'zod'
import { problem } from '../base/errors.ts'
import { batchSize } from '../training/batch-size.ts'
import type { TrainingSpec } from '../training/spec.ts'

const bytes = z.number().min(0).max(1e18)

/** How a figure was obtained. It is shown with every figure. */
export const provenance = z.enum(['measured', 'traced', 'estimated'])
export type Provenance = z.infer<typeof provenance>

export const outcome = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('fits'),
    /** Absent on the CPU, where PyTorch does not count memory. */
    peakBytes: bytes.optional(),
    /** Half the distance between the highest and the lowest peak of the steps; absent if only one step counts. */
    peakBytesSpread: bytes.optional(),
    /** Like `peakBytes`, without what allocator blocks round up. */
    requestedBytes: bytes.optional(),
    /** The most that the caching allocator reserved, cached blocks included. */
    reservedBytes: bytes.optional(),
    /** Forward and backward of one micro-batch and one optimizer step: the median of the timed steps. */
    stepMillis: z.number().min(0).optional(),
    /** Half the distance between the fastest and the slowest timed step; absent when fewer than two were timed. */
    stepMillisSpread: z.number().min(0).optional(),
    /** The optimizer's part of `stepMillis`. */
    optimizerMillis: z.number().min(0).optional(),
    /** The kernels that scaled_dot_product_attention chose; absent if it was not called. */
    attention: z.array(z.string().max(40)).max(10).optional(),
  }),
  /** `neededBytes`: the peak that the step would have had, if known. */
  z.object({ kind: z.literal('out-of-memory'), neededBytes: bytes.optional() }),
  z.object({ kind: z.literal('timed-out'), afterMillis: z.number().min(0) }),
  z.object({ kind: z.literal('failed'), problem }),
])
export type Outcome = z.infer<typeof outcome>

/** The peak, or the bytes that it would have needed; undefined if unknown. */
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
  /** Present for a trial with gradient accumulation, where gradients of an earlier micro-batch exist. */
  accumulates: z.literal(true).optional(),
  provenance,
  outcome,
})
export type Trial = z.infer<typeof trial>

/** The spec of a trial. Two micro-batches stand for any number, because all after the first are alike. */
export function trialSpec(spec: TrainingSpec, microBatch: number, accumulates: boolean): TrainingSpec {
  return { ...spec, microBatch, gradientAccumulation: accumulates ? 2 : 1 }
}
