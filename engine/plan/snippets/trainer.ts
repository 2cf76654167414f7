/**
 * Hugging Face's Trainer: its own arguments (transformers 5.18 training_args.py) beside Accelerate's launch settings.
 */
import { accelerateFiles, accelerateLaunch } from './accelerate.ts'
import type { Snippet, Snippeted } from './snippet.ts'

export function trainerSnippet(row: Snippeted): Snippet {
  const { microBatch, gradientAccumulation, gradientCheckpointing, config } = row
  const lines = [
    `per_device_train_batch_size: ${microBatch}`,
    `gradient_accumulation_steps: ${gradientAccumulation}`,
    `gradient_checkpointing: ${gradientCheckpointing}`,
  ]
  return {
    files: [{ path: config, text: lines.join('\n') }, ...accelerateFiles(row)],
    command: accelerateLaunch(row, `train.py --config ${config}`),
  }
}
