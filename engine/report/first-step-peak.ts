/** The first step, where it fits and later ones do not: a run that dies in its second. */
import type { ModelConfig } from '../models/architecture.ts'
import { workspaceBytesOf } from '../probes/estimate.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { estimatedRow, type RunPeakOptions, stateOf } from './peak-rows.ts'
import type { RunPeak } from './schema.ts'

/** Not under DeepSpeed, which made the optimizer's state before the first step until 0.13.2 (DeepSpeed#5104); its first step since is not modelled. */
export function firstStepPeaks(spec: TrainingSpec, config: ModelConfig, options: RunPeakOptions): readonly RunPeak[] {
  const { current, footprints, gpu, provenance } = options
  const isDeepSpeed = spec.sharding?.startsWith('zero') === true
  const isLaterTooLarge = !current.fits && stateOf(current.peakBytes, options) === 'does-not-fit'
  if (spec.step !== 'training' || isDeepSpeed || provenance !== 'estimated' || !isLaterTooLarge) return []
  const bytes = footprints.of(spec, config, gpu).firstPeakBytes(spec.microBatch, workspaceBytesOf(gpu))
  const row = { ...estimatedRow('first-step', bytes, options), microBatch: spec.microBatch }
  return row.state === 'fits' ? [row] : []
}
