/** The memory of bringing a quantised model to the GPU, before there is any optimizer state. */
import { loadsInFull } from '../estimate/library-rules.ts'
import type { Loading } from '../estimate/loading.ts'
import type { ModelConfig } from '../models/architecture.ts'
import { modelCopies } from '../training/batches.ts'
import { isFsdp } from '../training/choices.ts'
import type { TrainingSpec } from '../training/spec.ts'
import { type RunPeakOptions, stateOf } from './peak-rows.ts'
import type { RunPeak } from './schema.ts'

/** Where it is quantised while it is loaded, or is whole on every GPU before it is divided. */
export function loadingPeaks(spec: TrainingSpec, config: ModelConfig, options: RunPeakOptions): readonly RunPeak[] {
  const { footprints, gpu } = options
  const isDivided = modelCopies(spec) > 1 && (spec.sharding === 'zero3' || isFsdp(spec.sharding))
  if ((isDivided && spec.loadsWhole === undefined) || spec.tensorParallel !== undefined) return []
  if (!isDivided && spec.quantizesOnLoad === undefined) return []
  const { offload: _, ...onGpu } = spec
  const footprint = footprints.of({ ...onGpu, gpus: 1 }, config, gpu)
  if (spec.quantizesOnLoad) return [converted(spec, footprint.loading, options)]
  const peakBytes = footprint.resting(0).breakdown.weights
  return [{ phase: 'loading', peakBytes, state: stateOf(peakBytes, options), provenance: 'estimated' }]
}

function converted(spec: TrainingSpec, { oneByOne, inFull }: Loading, options: RunPeakOptions): RunPeak {
  const [least, most] = [stateOf(oneByOne, options), stateOf(inFull, options)]
  const row = { phase: 'loading', provenance: 'estimated' } as const
  if (!loadsInFull(spec) || inFull <= oneByOne) return { ...row, peakBytes: oneByOne, state: least }
  // How many weights wait to be quantised hangs on which thread is faster.
  const state = most === 'fits' || least === 'does-not-fit' ? least : 'may-not-fit'
  return { ...row, peakBytes: inFull, state, waitsInFull: true }
}
