/** Files that hold a part of a training's settings: what a script composes or loads with others, as Hydra does with its groups. */
import { nemoRl } from '../dialects/nemo-rl.ts'
import { readConfig } from '../read.ts'
import type { SourceFile } from '../reading.ts'

const folder = /(?:^|\/)(?:conf|configs?|cfgs?|settings|params|hparams|hydra|experiments?)\//i
const setting = /batch|accum|max_(?:seq_)?len|model|lora|quant|precision|optim|\b(?:bf16|fp16)\b/i

/** Problems of a file that leaves its model to others. */
const incomplete = new Set(['model-not-in-file', 'composed-by-hydra'])

/** YAML in a folder of configs that sets something of a training, and is no whole config by itself. */
export function isPartOfSettings(file: SourceFile): boolean {
  if (!/\.ya?ml$/i.test(file.path) || !folder.test(file.path) || !setting.test(file.text)) return false
  // Others may inherit from any of NeMo RL's.
  if (nemoRl.mayBe(file.text)) return true
  const reading = readConfig(file)
  if (reading.kind === 'unreadable')
    return file.text.includes('${') || reading.problems.some(({ code }) => incomplete.has(code))
  return reading.kind === 'not-a-training-config'
}
