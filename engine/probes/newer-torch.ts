/** What a config without a version of torch may take less with a newer one: scores of grouped heads, which PyTorch holds before 2.14. */
import type { ModelConfig } from '../models/architecture.ts'
import type { TrainingSpec } from '../training/spec.ts'
import type { Circumstances } from './among-several.ts'
import { EstimateProbe } from './estimate.ts'

/** Whether its bytes in use would fit. */
export function couldFitWithNewerTorch(
  spec: TrainingSpec,
  config: ModelConfig,
  { gpu, footprints }: Circumstances,
): boolean {
  if (!footprints.of(spec, config, gpu).countsTooMuch) return false
  const newer = { ...spec, versions: { ...spec.versions, torch: '2.14' } }
  return new EstimateProbe(footprints.of(newer, config, gpu), gpu).mayFit(spec.microBatch, 0)
}

/** For the reader of an estimate. */
export function sentencesOnTorch(
  spec: TrainingSpec,
  config: ModelConfig,
  { gpu, footprints }: Circumstances,
): readonly string[] {
  if (!footprints.of(spec, config, gpu).countsTooMuch) return []
  return [
    'Attention without a flash kernel holds the scores of grouped heads in float32, as before PyTorch 2.14: no version of torch is known, and newer ones take less.',
  ]
}
