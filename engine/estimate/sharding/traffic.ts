/** What each of several GPUs sends in a step. */
import { modelCopies } from '../../training/batches.ts'
import type { TrainingSpec } from '../../training/spec.ts'

export interface Traffic {
  readonly bytesPerMicroStep: number
  readonly bytesPerStep: number
}

/** Of one copy of the model, in the types that are exchanged. */
export interface Exchanged {
  readonly weightBytes: number
  readonly gradientBytes: number
}

/**
 * Ring all-reduce: every byte is sent twice, once to be summed and once to be distributed; a gather or a reduce-scatter sends it
 * once (NCCL, doc/PERFORMANCE.md of nccl-tests). Sharded weights are gathered for the forward and again for the backward pass.
 */
export function trafficOf(spec: TrainingSpec, exchanged: () => Exchanged): Traffic {
  const copies = modelCopies(spec)
  if (copies === 1 || spec.step !== 'training') return { bytesPerMicroStep: 0, bytesPerStep: 0 }
  const sent = (copies - 1) / copies
  const { weightBytes, gradientBytes } = exchanged()
  switch (spec.sharding ?? 'ddp') {
    case 'ddp':
    case 'zero1':
      return { bytesPerMicroStep: 0, bytesPerStep: 2 * sent * gradientBytes }
    case 'zero2':
      return { bytesPerMicroStep: sent * gradientBytes, bytesPerStep: sent * gradientBytes }
    case 'zero3':
      return { bytesPerMicroStep: sent * (2 * weightBytes + gradientBytes), bytesPerStep: 0 }
    case 'fsdp':
      return gradientsWith(spec, 2 * sent * weightBytes, sent * gradientBytes)
    case 'fsdp-grad-op':
      return gradientsWith(spec, sent * weightBytes, sent * gradientBytes)
  }
}

/** accelerate's no_sync leaves gradients alone until the last micro-batch. */
function gradientsWith({ syncsEveryMicroBatch }: TrainingSpec, gathered: number, scattered: number): Traffic {
  return syncsEveryMicroBatch
    ? { bytesPerMicroStep: gathered + scattered, bytesPerStep: 0 }
    : { bytesPerMicroStep: gathered, bytesPerStep: scattered }
}
