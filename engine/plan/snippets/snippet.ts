/** The config lines that set up a row of the plan, for the tool that runs it. */
import type { PlanRow } from '../row.ts'
import type { Tool } from '../strategy.ts'
import { axolotlSnippet } from './axolotl.ts'
import { deepSpeedSnippet } from './deepspeed-launch.ts'
import { lightningSnippet } from './lightning.ts'
import { litgptSnippet } from './litgpt.ts'
import { llamafactorySnippet } from './llamafactory.ts'
import { loopSnippet } from './loop.ts'
import { msSwiftSnippet } from './ms-swift.ts'
import { torchtitanSnippet } from './torchtitan.ts'
import { torchtuneSnippet } from './torchtune.ts'
import { trainerSnippet } from './trainer.ts'
import { verlSnippet } from './verl.ts'

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

const writers: { readonly [Each in Tool]?: (row: Snippeted) => Written } = {
  trainer: trainerSnippet,
  axolotl: axolotlSnippet,
  deepspeed: deepSpeedSnippet,
  lightning: lightningSnippet,
  'lightning-script': lightningSnippet,
  litgpt: litgptSnippet,
  llamafactory: llamafactorySnippet,
  loop: loopSnippet,
  'ms-swift': msSwiftSnippet,
  torchtitan: torchtitanSnippet,
  torchtune: torchtuneSnippet,
  verl: verlSnippet,
}

const unknown: Unwritten = {
  why: 'its lines are not written for this format; set the batch, the number of GPUs and the sharding there.',
}

export function snippetFor(row: Snippeted, tool: Tool): Written {
  if (row.config.endsWith('.ipynb') && row.gpus > 1)
    return { why: `a notebook trains in one process; save it as a script, and start that on ${row.gpus} GPUs.` }
  return writers[tool]?.(row) ?? unknown
}
