/** Memory over the step, for an analysis of the server. */
import type { FootprintCache } from '../engine/estimate/footprint-cache.ts'
import type { Gpu } from '../engine/gpus/catalogue.ts'
import type { ModelConfig } from '../engine/models/architecture.ts'
import { EstimateProbe } from '../engine/probes/estimate.ts'
import type { AnalysedConfig } from '../engine/report/schema.ts'

/** Points: about as many as a chart shows. */
const POINTS = 120

export interface OverStepContext {
  readonly gpu: Gpu
  readonly footprints: FootprintCache
}

/** The analysis with memory over the current step; without it unless the figures are estimated. */
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
