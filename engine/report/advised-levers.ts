/**
 * Levers: ways to free memory, each estimated by itself, with what it changes, frees and costs, and the lines that make
 * the change.
 */
import * as z from 'zod'
import { batchSize } from '../training/batch-size.ts'

export const leverIds = [
  'micro-batch',
  'gradient-checkpointing',
  'selective-checkpointing',
  'activation-offloading',
  'fused-loss',
  'chunked-loss',
  'sdpa-attention',
  'flash-attention',
  'compile',
  'fused-optimizer',
  'optimizer-in-backward',
  '8-bit-optimizer',
  'paged-8-bit-optimizer',
  'paged-optimizer',
  'adafactor',
  'bf16-autocast',
  'fp16-autocast',
  'bf16-weights',
  'lora',
  'qlora',
  '4-bit-base',
  'freeze-embeddings',
  'half-length',
  'half-completions',
  'smaller-images',
  'vllm-sleep',
  'vllm-half-share',
  'zero-1',
  'zero-2',
  'zero-2-offload',
  'zero-3',
  'zero-3-optimizer-offload',
  'zero-3-offload',
  'fsdp',
  'fsdp-offload',
  'tensor-parallel',
  'context-parallel',
  'expandable-segments',
  'another-card',
] as const
export type LeverId = (typeof leverIds)[number]

/**
 * What a lever does to the training. `none`: the same numbers up to the order of sums. `numerics`: the same method with
 * other rounding. `changes-the-result`: another method, other data or another model.
 */
export const effects = ['none', 'numerics', 'changes-the-result'] as const
export type Effect = (typeof effects)[number]

/** `fits`: throughout the error band. `may-fit`: in part of it. */
export const leverFits = ['fits', 'may-fit', 'does-not-fit'] as const
export type LeverFit = (typeof leverFits)[number]

/** The most changes that one lever combines. */
export const MAX_TOGETHER = 4

/** The most levers for one config. */
export const MAX_LEVERS = 40

const bytes = z.number().min(0).max(1e18)
const text = z.string().max(500)
const range = z.object({ low: z.number().positive(), high: z.number().positive() })

/** A line of the file and the lines that replace it: more than one if a key is added. */
const replacedLine = z.object({
  line: z.number().int().positive(),
  before: text,
  after: z.array(text).min(1).max(20),
})
export type ReplacedLine = z.infer<typeof replacedLine>

export const advisedLever = z.object({
  changes: z.array(z.enum(leverIds)).min(1).max(MAX_TOGETHER),
  effect: z.enum(effects),
  fit: z.enum(leverFits),
  peakBytes: bytes,
  /** Interval in which the peak lies, in percent of the estimate. */
  errorBand: z.object({ lowPercent: z.number().min(-100).max(0), highPercent: z.number().min(0).max(1_000) }),
  microBatch: batchSize,
  gradientAccumulation: batchSize,
  /**
   * The largest micro-batch that fits throughout the band with the same effective batch; absent if not even one sample
   * does.
   */
  largestMicroBatch: batchSize.optional(),
  /**
   * Modelled samples per second over those of the unchanged config if memory were no limit, with the ratio's interval.
   * Absent if unknown.
   */
  speed: z.object({ ratio: z.number().positive(), range }).optional(),
  /** The GPU that `another-card` needs. */
  gpu: z
    .object({ id: z.string().max(200), name: z.string().max(200), pricePerHourUsd: z.number().min(0).max(1e6) })
    .optional(),
  /** An environment variable to set for the training process. */
  environment: z.string().max(200).optional(),
  /** The changed lines in the config's own keys; empty if the file stays as it is. */
  lines: z.array(replacedLine).max(20),
})
export type AdvisedLever = z.infer<typeof advisedLever>
