/** verl's supervised fine-tuning (trainer/fsdp_sft_trainer.py), which shards with FSDP over all processes. */
import { effectiveBatch } from '../../training/batches.ts'
import { torchrun } from './launch.ts'
import { formOf, linesIn } from './lines.ts'
import type { Snippet, Snippeted } from './snippet.ts'

export function verlSnippet({ microBatch, gradientCheckpointing, gpus, spec, config }: Snippeted): Snippet {
  const lines = linesIn(
    config,
    [
      { path: ['data', 'train_batch_size'], value: effectiveBatch(spec) },
      { path: ['data', 'micro_batch_size_per_gpu'], value: microBatch },
      { path: ['model', 'enable_gradient_checkpointing'], value: gradientCheckpointing },
    ],
    true,
  )
  const given = formOf(config) === 'shell' ? '<its other settings>' : config
  // verl counts its GPUs by torchrun's variables, so that it starts one process too.
  const launch = gpus === 1 ? 'torchrun --nproc_per_node=1 ' : torchrun(gpus, '')
  return {
    files: [{ path: config, text: lines }],
    command: `${launch}-m verl.trainer.fsdp_sft_trainer ${given}`,
  }
}
