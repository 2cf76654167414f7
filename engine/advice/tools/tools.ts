/** The tools whose keys are known, by the name of their config format. */
import { axolotl } from './axolotl.ts'
import { deepspeed } from './deepspeed.ts'
import { huggingface } from './huggingface.ts'
import { lightning, lightningScript } from './lightning.ts'
import { litgpt } from './litgpt.ts'
import { llamafactory } from './llamafactory.ts'
import { memorymark } from './memorymark.ts'
import { msSwift } from './ms-swift.ts'
import { nemoRl } from './nemo-rl.ts'
import { openRlhf } from './openrlhf.ts'
import { pytorch } from './pytorch.ts'
import { timm } from './timm.ts'
import type { Tool } from './tool.ts'
import { torchtitan } from './torchtitan.ts'
import { torchtune } from './torchtune.ts'
import { ultralytics } from './ultralytics.ts'
import { verl } from './verl.ts'

const tools: ReadonlyMap<string, Tool> = new Map([
  ['Axolotl', axolotl],
  ['DeepSpeed', deepspeed],
  ['Hugging Face Trainer', huggingface],
  ['Lightning', lightningScript],
  ['Lightning CLI', lightning],
  ['LitGPT', litgpt],
  ['LLaMA-Factory', llamafactory],
  ['MemoryMark', memorymark],
  ['ms-swift', msSwift],
  ['NeMo RL', nemoRl],
  ['OpenRLHF', openRlhf],
  ['PyTorch', pytorch],
  ['timm', timm],
  ['torchtitan', torchtitan],
  ['torchtune', torchtune],
  ['Ultralytics', ultralytics],
  ['verl', verl],
])

/** For a tool without known keys, only numbers in its config can be changed. */
export function toolOf(dialect: string): Tool {
  return tools.get(dialect) ?? {}
}
