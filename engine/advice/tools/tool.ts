/** How one training tool says a change in its own keys: the shape of the tables beside this file. */
import type { TrainingSpec } from '../../config/spec.ts'
import type { Gpu } from '../../gpus/catalogue.ts'
import type { LeverId } from '../../report/advised-levers.ts'

export type Value = boolean | number | string | readonly Value[] | { readonly [key: string]: Value }

export interface KeySetting {
  /** Names of the key: the one that the file has is set, or else the first is added. */
  readonly keys: readonly [string, ...string[]]
  /** The mapping that the key belongs in, by its keys from the top; beside the batch size, or wherever it stands, where absent. */
  readonly at?: readonly string[]
  readonly value: Value
  /** An entry that a list which stands there already is to have too; without one, `value` is written. */
  readonly entry?: string
  /** Of a script, an argument of another call than the one that takes the batch size: it is changed where it stands, and never added. */
  readonly elsewhere?: true
}

export interface Asked {
  /** Before the change. */
  readonly spec: TrainingSpec
  readonly gpu: Gpu
  /** The sizes to come, for `micro-batch`. */
  readonly plan: { readonly microBatch: number; readonly gradientAccumulation: number }
  /** Whether the file writes a key somewhere. */
  readonly has: (key: string) => boolean
}

/** Undefined where this config's tool cannot say it. */
type Say = (asked: Asked) => readonly KeySetting[] | undefined

export type Tool = { readonly [Id in LeverId]?: Say }

/** One key beside the batch size; `others`: further names that it goes by. */
export function one(key: string, value: Value, ...others: string[]): readonly KeySetting[] {
  return [{ keys: [key, ...others], value }]
}

/** DeepSpeed refuses an optimizer that it has not tested, unless its settings have zero_allow_untested_optimizer. */
export function untestedByDeepSpeed(key: string, name: string): Say {
  return ({ spec }) => (spec.sharding?.startsWith('zero') ? undefined : one(key, name))
}
