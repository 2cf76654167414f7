/** The config lines that set up a row of the plan. */
import type { PlanRow } from '../row.ts'

export interface SnippetFile {
  /** The file to create, or `config` for lines of the training's own config. */
  readonly path: string
  readonly text: string
}

export interface Snippet {
  readonly files: readonly SnippetFile[]
  /** On each server. */
  readonly command: string
  /** Sentences on what the lines alone do not say. */
  readonly notes?: readonly string[]
}

/** Why the tool has no lines for a row, as one sentence. */
export interface Unwritten {
  readonly why: string
}

export type Written = Snippet | Unwritten

export function isUnwritten(written: Written): written is Unwritten {
  return 'why' in written
}

/** What a snippet is made from. `config`: the path of the training's own file. */
export type Snippeted = Pick<
  PlanRow,
  'gpus' | 'strategy' | 'microBatch' | 'gradientAccumulation' | 'gradientCheckpointing' | 'spec'
> & {
  readonly config: string
  /** The dotted name of the setting that holds the batch size, where teams give it names of their own. */
  readonly batchSetting?: string | undefined
}
