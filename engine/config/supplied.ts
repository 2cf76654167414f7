/** What the repository's settings say of a config that cannot say it itself. */
import type { Field } from './section.ts'

/** Where a team's settings stand in its repository. */
export const SETTINGS_PATH = '.github/memorymark.yml'

/** By their keys in the settings file. */
export const suppliedKeys = ['model', 'task', 'sequence_length', 'image_size', 'labels', 'gpus'] as const
export type SuppliedKey = (typeof suppliedKeys)[number]

/** In a sentence, after "the". */
export const suppliedNames: Readonly<Record<SuppliedKey, string>> = {
  model: 'model',
  task: 'task',
  sequence_length: 'sequence length',
  image_size: 'image size',
  labels: 'number of labels',
  gpus: 'number of GPUs',
}

/** Each as it is written in the settings, whose path the field bears. */
export type SuppliedFields = Readonly<Partial<Record<SuppliedKey, Field>>>

/** What to do, in a clause, where a config cannot say something itself. */
export function orInSettings(key: SuppliedKey): string {
  return `or add ${key} for this path to the overrides in ${SETTINGS_PATH}`
}
