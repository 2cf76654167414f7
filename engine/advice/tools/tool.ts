/** How a training tool expresses levers in its own keys: the type of the tables beside this file. */
import type { Value } from '../../config/text/yaml-literal.ts'
import type { Gpu } from '../../gpus/catalogue.ts'
import type { LeverId } from '../../report/advised-levers.ts'
import type { TrainingSpec } from '../../training/spec.ts'

/** A change of one key. */
export type KeySetting = WrittenKey | CommentedKey

export interface KeyPlace {
  /** Names of the key. */
  readonly keys: readonly [string, ...string[]]
  /** Keys from the top to the mapping that holds the key. If absent: beside the batch size, or wherever the key is. */
  readonly at?: readonly string[]
}

/** The line of the key becomes a comment, in YAML alone. */
export interface CommentedKey extends KeyPlace {
  readonly isCommentedOut: true
}

/** If the file has one of the names, that key is set; otherwise the first is added. */
export interface WrittenKey extends KeyPlace {
  readonly isCommentedOut?: never
  readonly value: Value
  /** An entry to append to a list that exists; without a list, `value` is written. */
  readonly entry?: string
  /** In a command, an option that takes no value: its name alone turns it on. */
  readonly isSwitch?: true
  /** In a script, an argument of a call other than the one with the batch size: changed if written, never added. */
  readonly elsewhere?: true
  /** In a script, the call that takes it, if that is not the one with the batch size. */
  readonly call?: string
}

export interface Asked {
  /** Before the change. */
  readonly spec: TrainingSpec
  readonly gpu: Gpu
  /** The new sizes, for `micro-batch`. */
  readonly plan: { readonly microBatch: number; readonly gradientAccumulation: number }
  /** Whether the file writes a key somewhere. */
  readonly has: (key: string) => boolean
}

/** Undefined if this config's tool cannot express it. */
export type Say = (asked: Asked) => readonly KeySetting[] | undefined

export type Tool = { readonly [Id in LeverId]?: Say }

/** One key beside the batch size; `others`: its other names. */
export function one(key: string, value: Value, ...others: string[]): readonly KeySetting[] {
  return [{ keys: [key, ...others], value }]
}
