/** The config lines that set up a row of the plan, for the tool that runs it. */
import type { PlanRow } from '../row.ts'
import type { Tool } from '../strategy.ts'
import { axolotlSnippet } from './axolotl.ts'
import { torchtuneSnippet } from './torchtune.ts'
import { trainerSnippet } from './trainer.ts'

export interface SnippetFile {
  /** The file to create, or `config` for lines of the training's own config. */
  readonly path: string
  readonly text: string
}

export interface Snippet {
  readonly files: readonly SnippetFile[]
  /** On each server. */
  readonly command: string
}

/** What a snippet is made from. `config`: the path of the training's own file. */
export type Snippeted = Pick<
  PlanRow,
  'gpus' | 'strategy' | 'microBatch' | 'gradientAccumulation' | 'gradientCheckpointing' | 'spec'
> & { readonly config: string }

/** Undefined for tools whose settings we do not write. */
export function snippetFor(row: Snippeted, tool: Tool): Snippet | undefined {
  switch (tool) {
    case 'trainer':
      return trainerSnippet(row)
    case 'axolotl':
      return axolotlSnippet(row)
    case 'torchtune':
      return torchtuneSnippet(row)
    default:
      return undefined
  }
}
