/** DeepSpeed's own file of settings, for a script that gives it to deepspeed.initialize (deepspeed 0.19 launcher/runner.py). */
import { effectiveBatch } from '../../training/batches.ts'
import { stageOf } from './deepspeed.ts'
import { linesIn } from './lines.ts'
import { serversOf } from './servers.ts'
import type { Snippet, Snippeted } from './snippet.ts'

export function deepSpeedSnippet({
  microBatch,
  gradientAccumulation,
  strategy,
  gpus,
  spec,
  config,
}: Snippeted): Snippet {
  const { servers, each } = serversOf(gpus)
  const stage = stageOf(strategy) ?? 0
  const several = servers > 1 ? ` --hostfile <servers> --num_nodes ${servers}` : ''
  const lines = linesIn(config, [
    { path: ['train_batch_size'], value: effectiveBatch(spec) },
    { path: ['train_micro_batch_size_per_gpu'], value: microBatch },
    { path: ['gradient_accumulation_steps'], value: gradientAccumulation },
    { path: ['zero_optimization', 'stage'], value: stage },
    ...(stage === 0 ? [] : [{ path: ['zero_optimization', 'overlap_comm'] as const, value: stage === 3 }]),
  ])
  return {
    files: [{ path: config, text: lines }],
    command: `deepspeed${several} --num_gpus ${each} train.py --deepspeed_config ${config}`,
  }
}
