/** The `data` of `POST /analyze`: the earlier tool's fields with corrected meanings, and new fields. */
import * as z from 'zod'
import { GIB, MIB } from '../engine/base/units.ts'
import { idleBytes, idlePercent } from '../engine/metrics/memory.ts'
import { type Engine, engines } from '../engine/probes/engines.ts'
import { peakOf, provenance, type Trial } from '../engine/probes/trial.ts'
import { type AnalysedConfig, throughputProvenance } from '../engine/report/schema.ts'
import { stepProfiles } from '../engine/training/choices.ts'

const triedSize = z.object({
  batch_size: z.int(),
  /** MiB. */
  memory_mb: z.number().nullable(),
  memory_gb: z.number().nullable(),
  success: z.boolean(),
  error: z.string().nullable(),
  provenance,
})

/** `*_gb` are GiB, as in the earlier tool. */
export const earlierResult = z.object({
  model_name: z.string(),
  /** `cuda`, `mps` or `cpu`: the device that the figures are for, measured or not. */
  device: z.string(),
  gpu_name: z.string(),
  gpu_total_gb: z.number(),
  /** Total − CUDA context. */
  gpu_usable_gb: z.number(),
  /** The recommended batch; null when not even one sample fits. */
  optimal_batch_size: z.int().nullable(),
  optimal_gradient_accumulation: z.int().nullable(),
  optimal_memory_gb: z.number().nullable(),
  /** The largest batch that fits, which the earlier tool called optimal. */
  largest_batch_size: z.int().nullable(),
  largest_memory_gb: z.number().nullable(),
  current_batch_size: z.int(),
  current_memory_gb: z.number(),
  current_fits: z.boolean(),
  /** In percent of usable memory, at the current batch. */
  waste_gb: z.number(),
  waste_percent: z.number(),
  /** In percent of usable memory, at the optimal batch. */
  headroom_gb: z.number().nullable(),
  headroom_percent: z.number().nullable(),
  /** Samples per second at the optimal batch over those at the current one. */
  speedup: z.number(),
  cost_savings_per_run: z.number(),
  cost_savings_annual: z.number(),
  step: z.enum(stepProfiles),
  engine: z.enum(engines),
  provenance,
  /** Half-width of the error band of memory figures. */
  error_band_percent: z.number(),
  throughput_provenance: throughputProvenance,
  results: z.array(triedSize),
  assumptions: z.array(z.string()),
})
export type EarlierResult = z.infer<typeof earlierResult>

export interface EarlierResultSource {
  /** As in the request. */
  readonly modelName: string
  readonly device: string
  readonly engine: Engine
  readonly config: AnalysedConfig
}

export function earlierResultOf({ modelName, device, engine, config }: EarlierResultSource): EarlierResult {
  const { gpu, current, recommended, largest } = config
  return {
    model_name: modelName,
    device,
    gpu_name: gpu.name,
    gpu_total_gb: gpu.totalBytes / GIB,
    gpu_usable_gb: gpu.usableBytes / GIB,
    optimal_batch_size: recommended?.microBatch ?? null,
    optimal_gradient_accumulation: recommended?.gradientAccumulation ?? null,
    optimal_memory_gb: recommended ? recommended.peakBytes / GIB : null,
    largest_batch_size: largest?.microBatch ?? null,
    largest_memory_gb: largest ? largest.peakBytes / GIB : null,
    current_batch_size: current.microBatch,
    current_memory_gb: current.peakBytes / GIB,
    current_fits: current.fits,
    waste_gb: idleBytes(gpu, current) / GIB,
    waste_percent: idlePercent(gpu, current),
    headroom_gb: recommended ? idleBytes(gpu, recommended) / GIB : null,
    headroom_percent: recommended ? idlePercent(gpu, recommended) : null,
    speedup: config.speedup,
    cost_savings_per_run: config.savingsPerRunUsd,
    cost_savings_annual: config.savingsPerYearUsd,
    step: config.spec.step,
    engine,
    provenance: config.provenance,
    error_band_percent: config.errorBandPercent,
    throughput_provenance: config.throughputProvenance,
    // The earlier tool's steps had one micro-batch.
    results: config.trials.filter(({ accumulates }) => !accumulates).map(triedSizeOf),
    assumptions: config.assumptions,
  }
}

function triedSizeOf({ microBatch, outcome, provenance }: Trial): z.infer<typeof triedSize> {
  const peak = peakOf(outcome)
  const fits = outcome.kind === 'fits'
  return {
    batch_size: microBatch,
    memory_mb: peak === undefined ? null : peak / MIB,
    memory_gb: peak === undefined ? null : peak / GIB,
    success: fits,
    error: fits ? null : 'out of memory',
    provenance,
  }
}
