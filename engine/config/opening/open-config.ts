/** A file that was recognised as a training config, before its values are read. */

import { unmodelledTools } from '../dialects/unmodelled-tools.ts'
import { dialects } from '../dialects.ts'
import type { FieldReader } from '../fields/fields.ts'
import { type ModelLookup, nameIn } from '../fields/model-fields.ts'
import type { DeepSpeedFile } from '../other-files/deepspeed-file.ts'
import type { PinnedVersions } from '../pinned/pinned-versions.ts'
import type { FileReading, OtherFile, Reading, SourceFile } from '../reading.ts'
import { oneOf } from '../text/quote.ts'
import type { Field } from '../text/section.ts'

/** What a config depends on besides its own text, found before the rest is read. */
export interface Found {
  readonly lookUp: ModelLookup
  readonly deepSpeed: DeepSpeedFile
  readonly pinned: PinnedVersions
  /** The files that the config names and that there were. */
  readonly files: readonly OtherFile[]
  /** Another config of the repository trains the model, and leaves it in a type that is not known. */
  readonly isTrainedBefore?: boolean
}

/** A recognised config, up to the point where its model must be known: task, sequence length and limits depend on it. */
export interface OpenConfig {
  readonly kind: 'open'
  /** The tool's name. */
  readonly dialect: string
  readonly why: string
  /** Absent when the file names none; reading then says so. */
  readonly modelName?: string
  /** Of DeepSpeed's settings, where they are not in the file itself. */
  readonly deepSpeedName?: string
  /** The files that start it. */
  readonly launchers?: readonly SourceFile[]
  /** A script of the team's own may load the file, and says what the file does not. */
  readonly mayBeLoaded?: boolean
  /** The classes of its model and its data are the repository's. */
  readonly namesClasses?: boolean
  /** Where the file leaves its model to the repository's code. */
  readonly classField?: Field | undefined
  readonly read: (found: Found, reader?: FieldReader) => Reading
}

/** A file of keys that is no training config or cannot be read, and why. */
export type Unopened = Exclude<Reading, { kind: 'training-config' }>

/** The same of any file. */
export type UnopenedFile = Exclude<FileReading, { kind: 'training-config' }>

/** The names of the files and models that a config depends on. */
export function named(
  model: Field | undefined,
  deepSpeed: Field | undefined,
): Pick<OpenConfig, 'modelName' | 'deepSpeedName'> {
  const [modelName, deepSpeedName] = [nameIn(model), nameIn(deepSpeed)]
  return { ...(modelName !== undefined && { modelName }), ...(deepSpeedName !== undefined && { deepSpeedName }) }
}

const modelled = dialects.filter(dialect => !unmodelledTools.includes(dialect))

export const notOurs: Extract<Reading, { kind: 'not-a-training-config' }> = {
  kind: 'not-a-training-config',
  // torchtitan's settings are TOML, which no dialect of this list reads.
  why: `It sets no batch size in a known format (${oneOf([...modelled.map(({ name }) => name), 'torchtitan'])}).`,
}
