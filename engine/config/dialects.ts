/** The config formats that are read, one file a tool. A new tool is its file and a row here. */
import type { Dialect } from './dialect.ts'
import { accelerate } from './dialects/accelerate.ts'
import { axolotl } from './dialects/axolotl.ts'
import { customKeys } from './dialects/custom-keys.ts'
import { deepspeed } from './dialects/deepspeed.ts'
import { huggingface } from './dialects/huggingface.ts'
import { hydra } from './dialects/hydra.ts'
import { lightning } from './dialects/lightning.ts'
import { litgpt } from './dialects/litgpt.ts'
import { llamafactory } from './dialects/llamafactory.ts'
import { llamafactoryV1 } from './dialects/llamafactory-v1.ts'
import { memorymark } from './dialects/memorymark.ts'
import { msSwift } from './dialects/ms-swift.ts'
import { nemoRl } from './dialects/nemo-rl.ts'
import { timm } from './dialects/timm.ts'
import { torchtune } from './dialects/torchtune.ts'
import { ultralytics } from './dialects/ultralytics.ts'
import { unmodelledTools } from './dialects/unmodelled-tools.ts'
import { verl } from './dialects/verl.ts'

/** Tried in this order: keys that only one tool writes come before those that many share. */
export const dialects: readonly Dialect[] = [
  memorymark,
  litgpt,
  ...unmodelledTools,
  nemoRl,
  axolotl,
  llamafactory,
  llamafactoryV1,
  msSwift,
  verl,
  torchtune,
  lightning,
  deepspeed,
  accelerate,
  ultralytics,
  timm,
  huggingface,
  hydra,
  customKeys,
]
