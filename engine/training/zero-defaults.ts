/** What DeepSpeed's ZeRO takes where nobody says otherwise, in elements. */
import type { Sharding } from './choices.ts'
import type { TrainingSpec } from './spec.ts'

type ZeroSettings = Required<NonNullable<TrainingSpec['zero']>>

/** deepspeed 0.19 runtime/zero/config.py. */
export const zeroDefaults = {
  reduceBucket: 5e8,
  prefetchBucket: 5e7,
  persistenceThreshold: 1e5,
  maxLiveParameters: 1e9,
  maxReuseDistance: 1e9,
  subGroup: 1e9,
} as const

/** The same, by stage. */
export function overlapsByDefault(sharding: Sharding | undefined): boolean {
  return sharding === 'zero3'
}

/** Lightning 2.6 pytorch/strategies/deepspeed.py gives DeepSpeed some of its own. */
export const lightningZero: ZeroSettings = {
  ...zeroDefaults,
  reduceBucket: 2e8,
  subGroup: 1e12,
  overlapsCommunication: true,
}
