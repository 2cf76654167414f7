/** Training configs as pull requests bring them, and what stands in for the engine where a test is not about it. */
import type { Report, SourceFile } from '../../engine/index.ts'
import { fine, reportOf, wasteful } from '../render/fixtures.ts'

/** To the real engine one of 2 is wasteful where an A10 is named, and one of 64 is fine. */
export function trainingConfig(microBatch: number, model = 'google-bert/bert-base-uncased'): string {
  return [
    `model_name_or_path: ${JSON.stringify(model)}`,
    'task_name: mnli',
    `per_device_train_batch_size: ${microBatch}`,
    `gradient_accumulation_steps: ${Math.max(1, Math.floor(128 / Math.max(1, microBatch)))}`,
    'max_seq_length: 128',
    'bf16: true',
    '',
  ].join('\n')
}

/** Calls a config wasteful below a micro-batch of 64, and fine from there on. */
export async function judgeByMicroBatch(files: readonly SourceFile[]): Promise<Report> {
  return reportOf(
    files.flatMap(({ path, text }) => {
      const microBatch = Number(/per_device_train_batch_size: (\d+)/.exec(text)?.[1])
      if (Number.isNaN(microBatch)) return []
      const spec = { ...wasteful().spec, microBatch }
      return [microBatch < 64 ? wasteful({ path, spec }) : fine({ path, spec })]
    }),
  )
}
