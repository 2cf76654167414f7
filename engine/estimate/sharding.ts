/**
 * What one of several GPUs holds. Derived from DDP's, DeepSpeed's and FSDP's documentation and sources; no run on several GPUs
 * has confirmed it yet. Communication buffers of DeepSpeed are configurable and not counted.
 */
import { modelCopies, type TrainingSpec } from '../config/spec.ts'
import { bytesPerElement, elements, type Tensor } from './storage.ts'

/** Share of each kind that stays on one GPU. */
export interface Shares {
  readonly weights: number
  readonly gradients: number
  readonly optimizerState: number
}

export function sharesOf(spec: TrainingSpec): Shares {
  const { sharding = 'ddp', offload } = spec
  const divided = 1 / modelCopies(spec)
  const state = offload === undefined ? divided : 0
  const weights = offload === 'optimizer-and-weights' ? 0 : divided
  switch (sharding) {
    case 'ddp':
      return { weights: 1, gradients: 1, optimizerState: offload === undefined ? 1 : 0 }
    case 'zero1':
      return { weights: 1, gradients: 1, optimizerState: state }
    case 'zero2':
      return { weights: 1, gradients: divided, optimizerState: state }
    case 'zero3':
      return { weights, gradients: divided, optimizerState: state }
    case 'fsdp':
      // torch.distributed.fsdp CPUOffloadPolicy: parameters, gradients and optimizer states are moved together.
      return { weights, gradients: weights && divided, optimizerState: state }
  }
}

/**
 * Bytes beside the shares: DDP's gradient buckets (`gradient_as_bucket_view` is off by default), or the weights that ZeRO-3 and
 * FSDP have gathered: what belongs to no block, the block that runs and the next one, prefetched.
 */
export function exchangeBytes(spec: TrainingSpec, parameters: ReadonlyMap<string, Tensor>): number {
  if (modelCopies(spec) === 1 && spec.offload !== 'optimizer-and-weights') return 0
  const { sharding = 'ddp' } = spec
  if (sharding === 'ddp') return sum([...parameters.values()].filter(parameter => parameter.requiresGrad).map(bytesOf))
  if (sharding === 'zero1' || sharding === 'zero2') return 0
  const all = [...parameters]
  const trained = all.filter(([, parameter]) => parameter.requiresGrad)
  // Gradients that are on their way to the host.
  const leaving = sharding === 'fsdp' && spec.offload === 'optimizer-and-weights' ? inUnits(trained, 1) : 0
  return inUnits(all, 2) + leaving
}

/** What belongs to no block, and so many times the largest block. */
function inUnits(parameters: readonly (readonly [name: string, parameter: Tensor])[], blocks: number): number {
  const units = new Map<string, number>()
  for (const [name, parameter] of parameters) {
    const unit = /^.*?\.\d+(?=\.)/.exec(name)?.[0] ?? ''
    units.set(unit, (units.get(unit) ?? 0) + bytesOf(parameter))
  }
  const sizes = [...units].filter(([unit]) => unit !== '').map(([, bytes]) => bytes)
  return (units.get('') ?? 0) + blocks * Math.max(0, ...sizes)
}

function bytesOf(parameter: Tensor): number {
  return elements(parameter) * bytesPerElement[parameter.dtype]
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
