/** How far an estimate may be from the truth, and of which steps no trace has confirmed it. */
import type { TrainingSpec } from '../config/spec.ts'

/**
 * Half-width of the band around an estimate, in percent of the peak. `npm run bench:accuracy` fails when PyTorch's trace or a
 * published GPU reading of the models lies outside it.
 */
export const TRACED_BAND_PERCENT = 3

/** For what is derived from sources and documentation alone. A guess, wide enough to be meant as one. */
const DERIVED_BAND_PERCENT = 10

export function errorBandPercent(spec: TrainingSpec): number {
  return beyondTrace(spec) === undefined ? TRACED_BAND_PERCENT : DERIVED_BAND_PERCENT
}

/** What of a step the trace does not run; undefined when it runs all of it. */
export function beyondTrace(spec: TrainingSpec): string | undefined {
  return spec.gpus > 1 ? 'several GPUs' : beyondTorch(spec)
}

/** What of a step the Python worker runs on no device; undefined when it runs all of it. */
export function beyondTorch(spec: TrainingSpec): string | undefined {
  if (spec.quantization !== undefined) return 'quantised base weights'
  if (spec.gpus > 1 && spec.sharding?.startsWith('zero')) return "DeepSpeed's sharding"
  if (spec.offload !== undefined) return 'offloading'
  if (spec.fusedLoss) return 'a fused loss'
  if (spec.precision === 'bf16-master') return 'float32 master weights'
  return spec.optimizer === 'lion' || spec.optimizer === 'paged-adamw' ? `the optimizer ${spec.optimizer}` : undefined
}

/** The sentence that goes with such an estimate. */
export function derivationOf(spec: TrainingSpec): string[] {
  const beyond = beyondTrace(spec)
  if (beyond === undefined) return []
  return [
    `What ${beyond} take${beyond.endsWith('s') ? '' : 's'} is derived from sources and documentation; no trace and no GPU has confirmed it, and the band of ${DERIVED_BAND_PERCENT} % is a guess.`,
  ]
}
