/**
 * LLaMA-Factory 0.9: its arguments (hparams/*.py beside the Trainer's), started by its own command (launcher.py), or under FSDP by
 * Accelerate's, as its examples/accelerate do.
 */
import { accelerateFiles, accelerateLaunch } from './accelerate.ts'
import { deepSpeedFile } from './deepspeed.ts'
import { torchrunVariables } from './launch.ts'
import { formOf, linesIn, settings } from './lines.ts'
import type { Snippet, Snippeted } from './snippet.ts'

export function llamafactorySnippet(row: Snippeted): Snippet {
  const { microBatch, gradientAccumulation, gradientCheckpointing, strategy, gpus, config } = row
  const deepSpeed = deepSpeedFile(strategy)
  const lines = settings({
    per_device_train_batch_size: microBatch,
    gradient_accumulation_steps: gradientAccumulation,
    disable_gradient_checkpointing: !gradientCheckpointing,
    deepspeed: deepSpeed?.path,
  })
  const own = { path: config, text: linesIn(config, lines) }
  const given = formOf(config) === 'shell' ? '<its options>' : config
  if (strategy === 'fsdp') {
    return { files: [own, ...accelerateFiles(row)], command: accelerateLaunch(row, `src/train.py ${given}`) }
  }
  const launch = gpus === 1 ? '' : `FORCE_TORCHRUN=1 ${torchrunVariables(gpus)}`
  return {
    files: [own, ...(deepSpeed === undefined ? [] : [deepSpeed])],
    command: `${launch}llamafactory-cli train ${given}`,
  }
}
