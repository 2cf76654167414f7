/** Ways to free memory, each estimated by itself: what is changed, what it frees, what it costs, and the lines that make it. */
import * as z from 'zod'
import { batchSize } from '../config/batch-size.ts'

export const leverIds = [
  'micro-batch',
  'gradient-checkpointing',
  'activation-offloading',
  'fused-loss',
  'chunked-loss',
  'sdpa-attention',
  'fused-optimizer',
  'optimizer-in-backward',
  '8-bit-optimizer',
  'paged-8-bit-optimizer',
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
  'zero-3-offload',
  'fsdp',
  'expandable-segments',
  'another-card',
] as const
export type LeverId = (typeof leverIds)[number]

/**
 * What a change does to the training. `none`: the same numbers up to the order of sums. `numerics`: the same method in other digits.
 * `changes-the-result`: another method, other data or another model.
 */
export const effects = ['none', 'numerics', 'changes-the-result'] as const
export type Effect = (typeof effects)[number]

/** `fits`: wherever in its band the peak lies. `may-fit`: by the estimate itself, but not throughout its band. */
export const leverFits = ['fits', 'may-fit', 'does-not-fit'] as const
export type LeverFit = (typeof leverFits)[number]

/** Changes that are made together. */
export const MAX_TOGETHER = 4

/** Of one config. */
export const MAX_LEVERS = 40

const bytes = z.number().min(0).max(1e18)
const text = z.string().max(500)
const range = z.object({ low: z.number().positive(), high: z.number().positive() })

/** A line of the file, and the lines that are to stand in its place: more than one where a key is added. */
export const replacedLine = z.object({
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
  /** Where the peak may lie, in percent of it. */
  errorBand: z.object({ lowPercent: z.number().min(-100).max(0), highPercent: z.number().min(0).max(1_000) }),
  microBatch: batchSize,
  gradientAccumulation: batchSize,
  /** The largest that fits throughout the band with as many samples in an optimizer step; absent where not even one sample does. */
  largestMicroBatch: batchSize.optional(),
  /** Modelled samples per second, as a multiple of the config's own if it had the memory, and where that lies. Absent where unknown. */
  speed: z.object({ ratio: z.number().positive(), range }).optional(),
  /** The card that it needs, for `another-card`. */
  gpu: z
    .object({ id: z.string().max(200), name: z.string().max(200), pricePerHourUsd: z.number().min(0).max(1e6) })
    .optional(),
  /** An environment variable of the training's process. */
  environment: z.string().max(200).optional(),
  /** In the config's own keys; none where nothing in the file changes. */
  lines: z.array(replacedLine).max(20),
})
export type AdvisedLever = z.infer<typeof advisedLever>
