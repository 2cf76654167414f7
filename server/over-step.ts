/** Memory over the step, for what a page or a client of the API has asked about. */
import type { FootprintCache } from '../engine/estimate/footprint-cache.ts'
import type { Gpu } from '../engine/gpus/catalogue.ts'
import type { ModelConfig } from '../engine/models/architecture.ts'
import { EstimateProbe } from '../engine/probes/estimate.ts'
import type { AnalysedConfig } from '../engine/report/schema.ts'

/** About as many as a chart can show; they travel with the report, of which a page knows only the model's name. */
const POINTS = 120

export interface OverStepContext {
  readonly gpu: Gpu
  readonly footprints: FootprintCache
}

/** The same with memory over the current step; without it where the figures are not estimated, which it would not match. */
export function withOverStep(
  config: AnalysedConfig,
  model: ModelConfig,
  { gpu, footprints }: OverStepContext,
): AnalysedConfig {
  const { provenance, spec, calibration } = config
  if (provenance !== 'estimated') return config
  const probe = new EstimateProbe(footprints.of(spec, model, gpu), gpu, calibration?.memory?.factor)
  return { ...config, overStep: [...probe.overStep(spec.microBatch, POINTS)] }
}
