/** Which tool's lines set up a row of the plan. */
import type { Tool } from '../strategy.ts'
import { axolotlSnippet } from './axolotl.ts'
import { deepSpeedSnippet } from './deepspeed-launch.ts'
import { lightningSnippet } from './lightning.ts'
import { litgptSnippet } from './litgpt.ts'
import { llamafactorySnippet } from './llamafactory.ts'
import { loopSnippet } from './loop.ts'
import { msSwiftSnippet } from './ms-swift.ts'
import type { Snippeted, Unwritten, Written } from './snippet.ts'
import { torchtitanSnippet } from './torchtitan.ts'
import { torchtuneSnippet } from './torchtune.ts'
import { trainerSnippet } from './trainer.ts'
import { verlSnippet } from './verl.ts'

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
