/** LitGPT 0.5: its arguments (litgpt/args.py TrainArgs), in which the accumulation follows from the global batch. */
import { effectiveBatch } from '../../training/batches.ts'
import { formOf, linesIn } from './lines.ts'
import type { Snippet, Snippeted } from './snippet.ts'

export function litgptSnippet({ microBatch, gpus, spec, config }: Snippeted): Snippet {
  const lines = linesIn(config, [
    { path: ['devices'], value: gpus },
    { path: ['train', 'micro_batch_size'], value: microBatch },
    { path: ['train', 'global_batch_size'], value: effectiveBatch(spec) },
  ])
  const command = `litgpt ${spec.lora === undefined ? 'finetune_full' : 'finetune_lora'}`
  const given = formOf(config) === 'shell' ? '<its checkpoint and options>' : `--config ${config}`
  return { files: [{ path: config, text: lines }], command: `${command} ${given}` }
}
