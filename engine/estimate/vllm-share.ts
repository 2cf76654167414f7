/** What vLLM holds on the training GPU: `gpu_memory_utilization` is a share of its total memory, allocated at once and kept. */
import type { Gpu } from '../gpus/catalogue.ts'
import type { TrainingSpec } from '../training/spec.ts'

export interface VllmShare {
  readonly bytes: number
  /** During generation only, or during training too. */
  readonly held: 'for-generation' | 'always'
  /** What waits on the host while it generates. */
  readonly movedOut: readonly ('weights' | 'optimizerState')[]
}

const nothing: VllmShare = { bytes: 0, held: 'for-generation', movedOut: [] }

export function vllmShare(
  { method }: Pick<TrainingSpec, 'method'>,
  { totalBytes }: Pick<Gpu, 'totalBytes'>,
): VllmShare {
  if (method?.kind !== 'online' || method.generation.kind !== 'vllm') return nothing
  const { share, sleeps, movedOut = [] } = method.generation
  return { bytes: Math.floor(share * totalBytes), held: sleeps ? 'for-generation' : 'always', movedOut }
}
