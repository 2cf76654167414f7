/**
 * Hugging Face's Trainer and TRL: their own arguments (transformers 5.18 training_args.py) beside Accelerate's launch settings. A
 * script is given DeepSpeed and FSDP as arguments too, so that it says by itself how it is divided.
 */
import { accelerateFiles, accelerateLaunch } from './accelerate.ts'
import { deepSpeedFile } from './deepspeed.ts'
import { torchrun } from './launch.ts'
import { formOf, linesIn, type Setting, settings } from './lines.ts'
import type { Snippet, Snippeted } from './snippet.ts'

export function trainerSnippet(row: Snippeted): Snippet {
  const { config } = row
  if (formOf(config) === 'python') return scriptSnippet(row)
  const own = { path: config, text: linesIn(config, ownSettings(row)) }
  const started = formOf(config) === 'shell' ? '<its script and options>' : `train.py --config ${config}`
  return { files: [own, ...accelerateFiles(row)], command: accelerateLaunch(row, started) }
}

function ownSettings({ microBatch, gradientAccumulation, gradientCheckpointing, spec }: Snippeted): readonly Setting[] {
  return settings({
    per_device_train_batch_size: microBatch,
    gradient_accumulation_steps: gradientAccumulation,
    // Unsloth takes it where it loads the model.
    gradient_checkpointing: spec.unslothKernels ? undefined : gradientCheckpointing,
  })
}

function scriptSnippet(row: Snippeted): Snippet {
  const { strategy, gpus, spec, config } = row
  const deepSpeed = deepSpeedFile(strategy)
  const dividing = settings({
    deepspeed: deepSpeed?.path,
    fsdp: strategy === 'fsdp' ? 'full_shard auto_wrap' : undefined,
    fsdp_config: strategy === 'fsdp' ? { version: spec.fsdpVersion ?? 2, reshard_after_forward: true } : undefined,
  })
  return {
    files: [
      { path: config, text: linesIn(config, [...ownSettings(row), ...dividing]) },
      ...(deepSpeed === undefined ? [] : [deepSpeed]),
    ],
    command: torchrun(gpus, config),
    notes: ['They are arguments of TrainingArguments, or of the trainer’s config (SFTConfig, DPOConfig, …).'],
  }
}
