/** The memory of saving a checkpoint, and of going on from one. */
import { resumingOf } from '../estimate/sharding/resuming.ts'
import { gathersWholeBySaving } from '../estimate/sharding/saving.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { workspaceBytesOf } from '../probes/estimate.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { estimatedRow, type RunPeakOptions } from './peak-rows.ts'
import type { RunPeak } from './schema.ts'

/** Of weights that are divided among GPUs, which are gathered for it. */
export function savingPeaks(spec: TrainingSpec, config: ModelConfig, options: RunPeakOptions): readonly RunPeak[] {
  const bytes = options.footprints.of(spec, config, options.gpu).savingBytes(workspaceBytesOf(options.gpu))
  if (bytes === undefined) return []
  const isWhole = gathersWholeBySaving(spec)
  return [{ ...estimatedRow('saving', bytes, options), ...(isWhole && { gathersWhole: true as const }) }]
}

/** Where the config goes on from a checkpoint, or would hold the optimizer's state twice if it did. */
export function resumingPeaks(spec: TrainingSpec, config: ModelConfig, options: RunPeakOptions): readonly RunPeak[] {
  const resuming = resumingOf(spec)
  if (spec.step !== 'training' || resuming === undefined || (!spec.resumes && resuming.states === 1)) return []
  const footprint = options.footprints.of(spec, config, options.gpu)
  return [estimatedRow('resuming', footprint.resumingBytes(resuming, workspaceBytesOf(options.gpu)), options)]
}
