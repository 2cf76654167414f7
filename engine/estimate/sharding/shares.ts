/** What one of several GPUs keeps of a model between steps. */
import { isWrappedByFsdp, shardingGroup } from '../../training/batches.ts'
import { isOfNemoRl } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'
import { bytesPerElement, type Tensor } from '../tape/storage.ts'

/** Share of each kind that stays on one GPU. */
export interface Shares {
  readonly weights: number
  readonly optimizerState: number
}

export function sharesOf(spec: TrainingSpec): Shares {
  const { sharding = 'ddp', offload } = spec
  const divided = 1 / shardingGroup(spec)
  const state = offload === undefined ? divided : 0
  const weights = offload === 'optimizer-and-weights' ? 0 : divided
  switch (sharding) {
    case 'ddp':
      return { weights: 1, optimizerState: offload === undefined ? 1 : 0 }
    case 'zero1':
    case 'zero2':
      return { weights: 1, optimizerState: state }
    case 'zero3':
    case 'fsdp':
    case 'fsdp-grad-op':
      return { weights, optimizerState: state }
  }
}

/**
 * Where float32 copies of what trains are kept: nowhere, in the optimizer (DeepSpeed, whatever the weights are in), or as the
 * very weights that are kept, of which FSDP gathers 16-bit copies.
 */
export function mastersOf(spec: TrainingSpec): 'none' | 'in-optimizer' | 'as-weights' {
  if (spec.sharding?.startsWith('zero')) return 'in-optimizer'
  if (spec.precision !== 'bf16-master') return 'none'
  return isWrappedByFsdp(spec) ? 'as-weights' : 'in-optimizer'
}

/** How much wider the weights are that are kept than those that compute. */
export function keptWidth(spec: TrainingSpec, parameter: Tensor): number {
  const isFrozenNarrow = !parameter.requiresGrad && spec.loop !== 'verl' && !isOfNemoRl(spec.loop)
  if (mastersOf(spec) !== 'as-weights' || isFrozenNarrow) return 1
  return bytesPerElement.float32 / bytesPerElement[parameter.dtype]
}
