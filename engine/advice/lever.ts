/** A change that frees memory and that a training spec can express: what it asks for, and how to tell that a config has made it. */
import type { TrainingSpec } from '../config/spec.ts'
import type { Gpu } from '../gpus/catalogue.ts'
import type { ModelConfig } from '../models/architecture.ts'
import type { Effect, LeverId } from '../report/advised-levers.ts'

export interface Circumstances {
  readonly config: ModelConfig
  readonly gpu: Gpu
}

export interface Lever {
  readonly id: LeverId
  readonly effect: Effect
  /** Of levers that pull at the same thing, one at a time. */
  readonly group: string
  /** All that may differ in a config that has made the change. */
  readonly settings: readonly (keyof TrainingSpec)[]
  /** Whether there is anything to change. */
  readonly applies: (spec: TrainingSpec, circumstances: Circumstances) => boolean
  /** Whether the one spec is the other with this change made. */
  readonly isMade: (after: TrainingSpec, before: TrainingSpec) => boolean
}
