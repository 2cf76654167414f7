/** The one change to a config that frees most memory. */
import { isOfImages, type TrainingSpec } from '../config/spec.ts'
import type { Peak } from '../estimate/footprint.ts'
import type { FootprintCache } from '../estimate/footprint-cache.ts'
import { OPTIMIZER_MOMENT } from '../estimate/player.ts'
import { type Gpu, hasBfloat16 } from '../gpus/catalogue.ts'
import { type ModelConfig, supportsCheckpointing } from '../models/architecture.ts'
import { EstimateProbe } from '../probes/estimate.ts'
import type { AnalysedConfig, LeverChange } from './schema.ts'

/** Below this share of the peak, a change is not worth the trouble. */
const WORTHWHILE_SHARE = 0.05

/** Undefined when no change frees a twentieth of the peak. */
export function bestLever(
  spec: TrainingSpec,
  config: ModelConfig,
  gpu: Gpu,
  peak: Peak,
  footprints: FootprintCache,
): AnalysedConfig['lever'] {
  const levers = changesOf(spec, config, gpu, peak).map(({ change, spec: changed }) => ({
    change,
    peakBytes: new EstimateProbe(footprints.of(changed, config, gpu), gpu).peak(spec.microBatch).bytes,
  }))
  const best = levers.toSorted((a, b) => a.peakBytes - b.peakBytes)[0]
  return best && best.peakBytes < peak.bytes * (1 - WORTHWHILE_SHARE) ? best : undefined
}

function changesOf(
  spec: TrainingSpec,
  config: ModelConfig,
  gpu: Gpu,
  { moment }: Peak,
): { readonly change: LeverChange; readonly spec: TrainingSpec }[] {
  if (spec.step !== 'training') return []
  const isText = !isOfImages(spec.task)
  return [
    ...(!spec.gradientCheckpointing && supportsCheckpointing(config)
      ? [{ change: 'gradient-checkpointing' as const, spec: { ...spec, gradientCheckpointing: true } }]
      : []),
    ...(spec.precision === 'fp32' && hasBfloat16(gpu)
      ? [{ change: 'bf16-autocast' as const, spec: { ...spec, precision: 'amp-bf16' as const } }]
      : []),
    ...(isText && spec.attention === 'eager'
      ? [{ change: 'sdpa-attention' as const, spec: { ...spec, attention: 'sdpa' as const } }]
      : []),
    ...(moment === OPTIMIZER_MOMENT && (spec.optimizer === 'adamw' || spec.optimizer === 'adamw-loop')
      ? [{ change: 'fused-optimizer' as const, spec: { ...spec, optimizer: 'adamw-fused' as const } }]
      : []),
  ]
}
