/** What the repository's settings say about a config that cannot say it itself. */

import type { TrainingSpec } from '../../training/spec.ts'
import type { VersionedLibrary } from '../../training/versions.ts'
import type { Field } from '../text/section.ts'

/** The path of a team's settings in its repository. */
export const SETTINGS_PATH = '.github/memorymark.yml'

/** The remedy, as a sentence, where nothing that a team may write helps. */
export const leaveOut = `Exclude this config for now: add it to ignore in ${SETTINGS_PATH}.`

/** The remedy, as a sentence, where no file names a model that is known. */
export const addModel = `Add model, a known one of its size, for this path to the overrides in ${SETTINGS_PATH} to have it checked.`

/** By their keys in the settings file. */
export const suppliedKeys = [
  'model',
  'task',
  'sequence_length',
  'mean_length',
  'image_size',
  'video_frames',
  'labels',
  'sentence_columns',
  'gpus',
  'expandable_segments',
] as const
export type SuppliedKey = (typeof suppliedKeys)[number]

/** In a sentence, after "the". */
export const suppliedNames: Readonly<Record<SuppliedKey, string>> = {
  model: 'model',
  task: 'task',
  sequence_length: 'sequence length',
  mean_length: 'mean length of samples',
  image_size: 'image size',
  video_frames: 'number of frames of a video',
  labels: 'number of labels',
  sentence_columns: 'number of texts in a sample',
  gpus: 'number of GPUs',
  expandable_segments: 'setting expandable_segments of PyTorch’s allocator',
}

/** A library's version, instead of the one that the repository pins. */
export interface SuppliedVersion {
  readonly library: VersionedLibrary
  readonly version: string
  /** Where it is said: `.github/memorymark.yml, line 3`. */
  readonly place: string
}

/** Each as written in the settings; the field carries their path. */
export interface SuppliedFields extends Readonly<Partial<Record<SuppliedKey, Field>>> {
  /** Of several for one library, the last counts. */
  readonly versions?: readonly SuppliedVersion[]
  /** Settings that the caller changes afterwards, so that no default of theirs is worth telling. */
  readonly changed?: readonly (keyof TrainingSpec)[]
}

/** The remedy, as a clause, if a config cannot say something itself. */
export function orInSettings(key: SuppliedKey): string {
  return `or add ${key} for this path to the overrides in ${SETTINGS_PATH}`
}
