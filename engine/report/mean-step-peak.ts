/** A step on samples of the mean length, beside the step on the longest: a run that dies at an unlucky batch. */
import type { ModelConfig } from '../models/architecture.ts'
import { EstimateProbe } from '../probes/estimate.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { estimatedRow, type RunPeakOptions } from './peak-rows.ts'
import type { RunPeak } from './schema.ts'

/** Completions, targets and images have lengths of their own. */
export function meanStepPeaks(spec: TrainingSpec, config: ModelConfig, options: RunPeakOptions): readonly RunPeak[] {
  const { meanLength, sequenceLength = 0, targetLength, images, method, microBatch } = spec
  const isOfText = images === undefined && targetLength === undefined
  const generates = method?.kind === 'online' || method?.kind === 'rollouts'
  if (meanLength === undefined || meanLength >= sequenceLength || !isOfText || generates) return []
  const { footprints, gpu } = options
  const mean = new EstimateProbe(footprints.of({ ...spec, sequenceLength: meanLength }, config, gpu), gpu)
  return [{ ...estimatedRow('mean-step', mean.peakBytes(microBatch), options), microBatch }]
}
