/** How a config or a script is started, as the launchers of the repository say it. */
import type { AskedCard } from '../job/request.ts'
import type { PassedArgument, SourceFile } from '../reading.ts'
import type { Field } from '../text/section.ts'
import type { StartedBy } from './loading-script.ts'

export interface Launched extends StartedBy {
  /** What the launch sets instead of the config; dotted keys are paths. */
  readonly fields: readonly Field[]
  /** What it passes to a script. */
  readonly passed: readonly PassedArgument[]
  readonly gpus: Field | undefined
  /** How many GPUs one process sees, where they are several. */
  readonly visible?: Field | undefined
  /** How Accelerate's own settings divide a training, and its precision, as the Trainer's arguments for the same. */
  readonly told?: readonly Field[]
  /** The GPU that the jobs among the launchers ask for. */
  readonly card: AskedCard | undefined
  /** Several launchers differ, or set options that are not read; the verdict then never blocks. */
  readonly isUnclear: boolean
  /** Sentences for the reader of the result. */
  readonly assumptions: readonly string[]
  /** The launchers that start it, and what they name. */
  readonly files: readonly SourceFile[]
}

export const notLaunched: Launched = {
  fields: [],
  passed: [],
  gpus: undefined,
  card: undefined,
  isUnclear: false,
  assumptions: [],
  files: [],
}
