/**
 * Moments of the run besides the training step that could run out of memory, such as loading and evaluation, each
 * judged like the step. A moment is left out unless a source or PyTorch's trace tells its memory.
 */
import type { ModelConfig } from '../models/architecture.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { resumingPeaks, savingPeaks } from './checkpoint-peaks.ts'
import { evaluationPeaks } from './evaluation-peaks.ts'
import { firstStepPeaks } from './first-step-peak.ts'
import { loadingPeaks } from './loading-peak.ts'
import { meanStepPeaks } from './mean-step-peak.ts'
import { type RunPeakOptions, stateOf } from './peak-rows.ts'
import type { RunPeak } from './schema.ts'

/** The training step and the other known moments, in the order of the run; undefined if only the step is known. */
export function runPeaks(
  spec: TrainingSpec,
  config: ModelConfig,
  options: RunPeakOptions,
): readonly RunPeak[] | undefined {
  const before = [
    ...loadingPeaks(spec, config, options),
    ...resumingPeaks(spec, config, options),
    ...firstStepPeaks(spec, config, options),
    ...meanStepPeaks(spec, config, options),
  ]
  const after = [...evaluationPeaks(spec, config, options), ...savingPeaks(spec, config, options)]
  if (before.length + after.length === 0) return undefined
  const { current, provenance } = options
  const step: RunPeak = {
    phase: 'training-step',
    microBatch: current.microBatch,
    peakBytes: current.peakBytes,
    state: current.fits ? (current.mayNotFit ? 'may-not-fit' : stateOf(current.peakBytes, options)) : 'does-not-fit',
    provenance,
  }
  // A step that was measured and fits needs no error band.
  if (provenance === 'measured' && current.fits) return [{ ...step, state: 'fits' }, ...after]
  return [...before, step, ...after]
}
