/** What vLLM holds on the GPU that trains: `gpu_memory_utilization` is a share of all its memory, taken at once and kept. */
import type { TrainingSpec } from '../config/spec.ts'
import type { Gpu } from '../gpus/catalogue.ts'

export interface VllmShare {
  readonly bytes: number
  /** While answers are made alone, or during the training too. */
  readonly held: 'for-answers' | 'always'
}

const nothing: VllmShare = { bytes: 0, held: 'for-answers' }

export function vllmShare(
  { method }: Pick<TrainingSpec, 'method'>,
  { totalBytes }: Pick<Gpu, 'totalBytes'>,
): VllmShare {
  if (method?.kind !== 'answers' || method.generation.kind !== 'vllm') return nothing
  const { share, sleeps } = method.generation
  return { bytes: Math.floor(share * totalBytes), held: sleeps ? 'for-answers' : 'always' }
}
