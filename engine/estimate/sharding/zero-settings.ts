/** What DeepSpeed's own settings come to, in elements. */
import type { TrainingSpec } from '../../training/spec.ts'
import type { Parameters } from './exchange.ts'

export interface ZeroSettings {
  /** Gradients that are sent together. */
  readonly reduceBucket: number
  /** Weights that ZeRO-3 gathers before they are needed. */
  readonly prefetchBucket: number
  /** Parameters up to this size stay gathered. */
  readonly persistenceThreshold: number
  readonly maxLiveParameters: number
  /** What is needed again within so many parameters stays gathered. */
  readonly maxReuseDistance: number
  /** Of this GPU's part, what the optimizer steps with at a time. */
  readonly subGroup: number
  /** Whether a bucket fills while another is sent. */
  readonly overlapsCommunication: boolean
}

export function zeroSettings({ zero = {} }: TrainingSpec, parameters: Parameters): ZeroSettings {
  const hidden = hiddenSize(parameters)
  return {
    // transformers integrations/deepspeed.py trainer_config_process: what it puts for "auto".
    reduceBucket: zero.reduceBucket ?? hidden * hidden,
    prefetchBucket: zero.prefetchBucket ?? Math.floor(0.9 * hidden * hidden),
    persistenceThreshold: zero.persistenceThreshold ?? 10 * hidden,
    // deepspeed 0.19 runtime/zero/config.py: defaults, which transformers leaves as they are.
    maxLiveParameters: zero.maxLiveParameters ?? 1e9,
    maxReuseDistance: zero.maxReuseDistance ?? 1e9,
    subGroup: zero.subGroup ?? 1e9,
    overlapsCommunication: zero.overlapsCommunication ?? true,
  }
}

/** The width of the embeddings, a model's first matrix. */
function hiddenSize(parameters: Parameters): number {
  const matrix = [...parameters.values()].find(({ shape }) => shape.length > 1)
  return matrix?.shape.at(-1) ?? 0
}
