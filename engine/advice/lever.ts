/** A lever: a change to the training spec that frees memory, and a test that a config has made it. */
import type { Gpu } from '../gpus/catalogue.ts'
import type { ModelConfig } from '../models/architecture.ts'
import type { Effect, LeverId } from '../report/advised-levers.ts'
import type { TrainingSpec } from '../training/spec.ts'

export interface Circumstances {
  readonly config: ModelConfig
  readonly gpu: Gpu
}

export interface Lever {
  readonly id: LeverId
  readonly effect: Effect
  /** Beside another effect, it also rounds numbers. */
  readonly alsoRounds?: true
  /** Levers of one group are not combined. */
  readonly group: string
  /** The only settings that may differ after the change. */
  readonly settings: readonly (keyof TrainingSpec)[]
  /** How fast a step is with it, nothing models. */
  readonly isSpeedUnknown?: true
  /** Whether the lever applies to the spec. */
  readonly applies: (spec: TrainingSpec, circumstances: Circumstances) => boolean
  /** Whether `after` is `before` with this change made. */
  readonly isMade: (after: TrainingSpec, before: TrainingSpec) => boolean
}
